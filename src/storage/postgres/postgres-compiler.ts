import { PostgresQueryCompiler } from 'kysely';

/**
 * Makes an `integer` column 64 bits wide, as it is in SQLite: a number that the API accepts is found or not, and never out of
 * range.
 */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: Parameters<PostgresQueryCompiler['visitDataType']>[0]): void {
    this.append(node.dataType === 'integer' ? 'bigint' : node.dataType);
  }
}

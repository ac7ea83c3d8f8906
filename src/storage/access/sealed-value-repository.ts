import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/**
 * The kinds of columns with sealed values. `agent_configuration`: JSON with sealed headers; the others are one sealed value.
 */
export type SealedPlace = 'agent_configuration' | 'idempotent_answer' | 'trunk_password' | 'webhook_secret';

interface SealedColumn {
  readonly place: SealedPlace;
  readonly table: string;
  readonly column: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** Every column with sealed values, apart from the keys and the proof of the rotation itself. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { place: 'trunk_password', table: 'sip_trunks', column: 'password_sealed', key: ['id'] },
  { place: 'webhook_secret', table: 'webhook_secrets', column: 'secret_sealed', key: ['id'] },
  {
    place: 'agent_configuration',
    table: 'agent_versions',
    column: 'configuration_json',
    key: ['agent_id', 'version'],
  },
  { place: 'idempotent_answer', table: 'idempotency_keys', column: 'answer_sealed', key: ['organization_id', 'key'] },
];
/** Rows in memory at once, and of one transaction: a running service writes between two. */
const ROWS_AT_ONCE = 100;

export interface SealedValueRepository {
  /**
   * Hands each stored text with sealed values to `reseal` and stores its result; null leaves the text. A text that the service has changed
   * in between stays as the service wrote it. Resolves to the number of results.
   */
  rewrite(reseal: (text: string, place: SealedPlace) => string | null): Promise<number>;
}

/** All methods reject with a `DatabaseError`. */
export function createSealedValueRepository(database: Database): SealedValueRepository {
  return {
    rewrite: async (reseal) => {
      let count = 0;
      for (const column of SEALED_COLUMNS) count += await rewriteColumn(database, column, reseal);
      return count;
    },
  };
}

async function rewriteColumn(
  database: Database,
  { column, key, place, table }: SealedColumn,
  reseal: (text: string, place: SealedPlace) => string | null,
): Promise<number> {
  const ids = key.map((name) => sql.ref(name));
  const after = (last: Row): ReturnType<typeof sql> =>
    sql`AND (${sql.join(ids)}) > (${sql.join(key.map((name) => last[name]))})`;
  let count = 0;
  let last: Row | undefined;
  for (;;) {
    const { rows } = await sql<Row>`SELECT ${sql.join([...ids, sql.ref(column)])} FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} LIKE '%sealed:%' ${last === undefined ? sql`` : after(last)}
      ORDER BY ${sql.join(ids)} LIMIT ${sql.lit(ROWS_AT_ONCE)}`.execute(database.query);
    const steps = rows.flatMap((row) => {
      const before = String(row[column]);
      const text = reseal(before, place);
      if (text === null) return [];
      const isThisRow = sql.join(
        key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
        sql` AND `,
      );
      const update = sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${text}
        WHERE ${isThisRow} AND ${sql.ref(column)} = ${before}`;
      return [{ statement: { compile: () => update.compile(database.query) } }];
    });
    if (steps.length > 0) await database.atomically(steps);
    count += steps.length;
    last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return count;
  }
}

type Row = Readonly<Record<string, unknown>>;

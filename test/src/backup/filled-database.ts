import { CompiledQuery } from 'kysely';
import { MasterKeyRing } from '../../../src/secrets/master-key-ring.ts';
import type { Database } from '../../../src/storage/database/database.ts';
import { BACKED_UP_TABLES, isBackedUpColumn } from '../../../src/storage/link/backed-up-tables.ts';
import type { SqlValue } from '../../../src/storage/link/database-link.ts';
import { quoted } from '../../../src/storage/link/table-snapshot.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';

/** Characters that lines, JSON or tar could lose. */
const ODD_TEXT = 'Grüße "quoted" \\ \n \r\n \u2028 😀';
const ROWS_PER_TABLE = 3;

interface Column {
  readonly name: string;
  readonly dataType: string;
  readonly isNullable: boolean;
}

/**
 * Fills every backed-up table with rows of odd values. The nth row of each table has the same id, so that every reference is satisfied;
 * the last row is null where it may be. The proof of the master key is that of `key`.
 */
export async function fillTables(database: Database, key: Uint8Array): Promise<void> {
  await createRepositories(database).masterKeyProof.keep(new MasterKeyRing(key).seal('', 'master_key_proof'));
  const tables = await database.query.introspection.getTables();
  for (const name of BACKED_UP_TABLES) {
    if (name === 'master_key_proof') continue;
    const found = tables.find((table) => table.name === name);
    if (found === undefined) throw new Error(`${name} is missing`);
    const columns = found.columns.filter((column) => isBackedUpColumn(name, column.name));
    for (let row = 1; row <= ROWS_PER_TABLE; row++) {
      const places = columns.map((_, place) => (database.kind === 'sqlite' ? '?' : `$${place + 1}`));
      const insert = `INSERT INTO ${quoted(name)} (${columns.map((column) => quoted(column.name))}) VALUES (${places})`;
      const values = columns.map((column, place) => columnValue(column, row, place));
      await database.query.executeQuery(CompiledQuery.raw(insert, values));
    }
  }
}

function columnValue({ name, dataType, isNullable }: Column, row: number, place: number): SqlValue {
  // SQLite calls every key of text nullable.
  if (isNullable && row === ROWS_PER_TABLE && !/(id|duty)$/.test(name)) return null;
  const type = dataType.toLowerCase();
  if (/blob|bytea/.test(type)) return Buffer.from([0, 255, row, 10, 13]);
  if (/double|float/.test(type)) return row / 3;
  // Keys, and the one column that PostgreSQL stores in 32 bits, are small.
  if (/int/.test(type)) return /^(id|chunk_id|counted)$/.test(name) ? row : 2 ** 50 + row * 100 + place;
  if (name === 'id' || name.endsWith('_id')) return `id-${row}`;
  if (name.endsWith('_json')) return JSON.stringify({ text: `${ODD_TEXT}${row}`, list: [row, null] });
  return `${name} ${row} ${ODD_TEXT}`;
}

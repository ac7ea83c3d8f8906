import { isSealed } from '../secrets/secrets.ts';
import type { SqlValue } from '../storage/link/database-link.ts';
import type { TableColumns, TableRow } from '../storage/link/table-snapshot.ts';

/** Tables of which every row holds a value that the master key sealed. */
const SEALED_TABLES: ReadonlySet<string> = new Set([
  'master_key_proof',
  'master_keys',
  'webhook_secrets',
  'idempotency_keys',
]);

/**
 * The row without values that only the master key opens: no password of a trunk, no secret header of a function. Null: nothing of the row
 * is left. API keys stay, because the database holds their hashes alone.
 */
export function withoutSealedValues({ table, columns }: TableColumns, row: TableRow): TableRow | null {
  if (SEALED_TABLES.has(table)) return null;
  return row.map((value, place) => withoutSealed(columns[place] ?? '', value));
}

function withoutSealed(column: string, value: SqlValue): SqlValue {
  if (column.endsWith('_sealed')) return null;
  if (!column.endsWith('_json') || typeof value !== 'string' || !value.includes('"sealed:')) return value;
  return JSON.stringify(JSON.parse(value, (_, part) => (Array.isArray(part) ? part.filter(isOpen) : part)));
}

/** Whether an entry of a list is no header with a sealed value. */
function isOpen(entry: unknown): boolean {
  const isHeader = typeof entry === 'object' && entry !== null && 'value' in entry && 'secret' in entry;
  return !(isHeader && typeof entry.value === 'string' && isSealed(entry.value));
}

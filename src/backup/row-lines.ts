import { z } from 'zod';
import type { SqlValue } from '../storage/link/database-link.ts';
import type { TableColumns, TableRow } from '../storage/link/table-snapshot.ts';

const valueSchema = z.union([z.null(), z.number(), z.string(), z.object({ base64: z.base64() })]);
const rowSchema = z.array(valueSchema);
const columnsSchema = z.array(z.string()).min(1);

/** A row as one line of JSON. */
export function rowLine(row: TableRow): string {
  return `${JSON.stringify(row.map(archived))}\n`;
}

/** The first line of a part of a table. */
export function columnsLine(columns: readonly string[]): string {
  return `${JSON.stringify(columns)}\n`;
}

/** @throws {Error} if the text is no part of a table */
export function readPart(table: string, text: string): { readonly columns: TableColumns; readonly rows: TableRow[] } {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = columnsSchema.parse(JSON.parse(first));
  return { columns: { table, columns }, rows: lines.map((line) => rowSchema.parse(JSON.parse(line)).map(restored)) };
}

function archived(value: SqlValue): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  return typeof value === 'bigint' ? Number(value) : value;
}

function restored(value: z.infer<typeof valueSchema>): SqlValue {
  return value !== null && typeof value === 'object' ? Buffer.from(value.base64, 'base64') : value;
}

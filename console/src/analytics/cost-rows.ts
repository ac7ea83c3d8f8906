import type { CostRow } from '../generated/client.ts';

/** Lines of a plot that are easy to distinguish. */
const LINES_MAX = 4;

/** The cost of one provider over time. */
export interface CostLine {
  /** null: of all others together. */
  readonly of: Pick<CostRow, 'kind' | 'provider'> | null;
  readonly values: readonly number[];
}

/** A line for each provider, the most expensive first; those beyond the fourth are summed. `times`: begins of the days, seconds since 1970. */
export function costLines(rows: readonly CostRow[], times: readonly number[]): readonly CostLine[] {
  const places = new Map(times.map((seconds, at) => [seconds, at]));
  const lines = new Map<string, { readonly of: CostRow; readonly values: number[] }>();
  for (const row of rows) {
    if (row.cost === 0 || row.start_time === null) continue;
    const name = `${row.kind} ${row.provider}`;
    const line = lines.get(name) ?? { of: row, values: times.map(() => 0) };
    lines.set(name, line);
    const at = places.get(Date.parse(row.start_time) / 1_000);
    if (at !== undefined) line.values[at] = (line.values[at] ?? 0) + row.cost;
  }
  const byCost = [...lines.values()].sort((one, other) => sum(other.values) - sum(one.values));
  if (byCost.length <= LINES_MAX) return byCost;
  const others = byCost.slice(LINES_MAX - 1);
  const summed = times.map((_, at) => sum(others.map(({ values }) => values[at] ?? 0)));
  return [...byCost.slice(0, LINES_MAX - 1), { of: null, values: summed }];
}

/** Rows that cost something, the most expensive first, each with its share of the total. */
export function costShares(rows: readonly CostRow[]): readonly { readonly row: CostRow; readonly share: number }[] {
  const total = sum(rows.map(({ cost }) => cost));
  return rows
    .filter(({ cost }) => cost > 0)
    .map((row) => ({ row, share: row.cost / total }))
    .sort((one, other) => other.row.cost - one.row.cost);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

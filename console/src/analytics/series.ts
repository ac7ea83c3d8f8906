const STEPS_MS = { hour: 3_600_000, day: 86_400_000 };

/** A row of an API response. */
interface TimedRow {
  /** Null in a sum over the whole range. */
  readonly start_time: string | null;
}

interface TimedAnswer<Row extends TimedRow> {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly Row[];
}

/** A row for each interval of the range, null where nothing was counted. */
export interface TimedSeries<Row> {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly rows: readonly (Row | null)[];
}

export function seriesOf<Row extends TimedRow>(
  { from, rows, to }: TimedAnswer<Row>,
  interval: keyof typeof STEPS_MS,
): TimedSeries<Row> {
  const stepMs = STEPS_MS[interval];
  const known = new Map(rows.map((row) => [row.start_time === null ? 0 : Date.parse(row.start_time), row]));
  const times: number[] = [];
  for (let ms = Date.parse(from); ms < Date.parse(to); ms += stepMs) times.push(ms);
  return { times: times.map((ms) => ms / 1_000), rows: times.map((ms) => known.get(ms) ?? null) };
}

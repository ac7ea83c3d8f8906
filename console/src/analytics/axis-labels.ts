const DAY_S = 86_400;
const DAY = { timeZone: 'UTC', day: 'numeric', month: 'short' } as const;
const HOUR = { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' } as const;

/** The labels of a time axis in UTC: days, and hours between them if the marks are closer than a day. */
export function axisLabels(marks: readonly number[], locale: string): readonly string[] {
  const [day, hour] = [new Intl.DateTimeFormat(locale, DAY), new Intl.DateTimeFormat(locale, HOUR)];
  return marks.map((seconds) => (seconds % DAY_S === 0 ? day : hour).format(seconds * 1_000));
}

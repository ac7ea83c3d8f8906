/** When a day of the browser's time zone begins, or one that is later, as an ISO time. `day`: `2026-11-23`. */
export function startOfDay(day: string, daysLater = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

import { shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';

/** Median and longest response time of a call. Up to 19 turns p95 is the longest; `max` comes some seconds after the end. */
export function responseTimes({ metrics }: Pick<Call, 'metrics'>): string {
  const { max, median, p95 } = metrics.response_ms ?? {};
  if (median === null || median === undefined) return '';
  return `${unbroken(median)} / ${unbroken(max ?? p95 ?? median)}`;
}

/** A line ends between two times only. */
function unbroken(ms: number): string {
  return shortTime(ms).replace(' ', '\u00a0');
}

import { shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';

/** Median and longest response time of a call. Up to 19 turns p95 is the longest; `max` comes some seconds after the end. */
export function responseTimes({ metrics }: Pick<Call, 'metrics'>, language: string): string {
  const { max, median, p95 } = metrics.response_ms ?? {};
  if (median === null || median === undefined) return '';
  return `${unbroken(median, language)} / ${unbroken(max ?? p95 ?? median, language)}`;
}

/** A line ends between two times only. */
function unbroken(ms: number, language: string): string {
  return shortTime(ms, language).replace(' ', '\u00a0');
}

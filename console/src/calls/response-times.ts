import { shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';

/** Median and longest response time of a call. Up to 19 turns p95 is the longest; `max` comes some seconds after the end. */
export function responseTimes({ metrics }: Pick<Call, 'metrics'>): string {
  const { max, median, p95 } = metrics.response_ms ?? {};
  if (median === null || median === undefined) return '';
  return `${shortTime(median)} / ${shortTime(max ?? p95 ?? median)}`;
}

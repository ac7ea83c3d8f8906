import type { AxisStretch } from './time-axis.ts';

/**
 * Begin of the word at a place in an entry, ms since the answer. An estimate: the API has the times of entries, so their letters
 * are taken as equally long.
 */
export function wordAt(content: string, place: number, { startMs, endMs }: AxisStretch): number {
  const begin = content.slice(0, place).search(/\S*$/);
  return Math.round(startMs + ((endMs - startMs) * begin) / Math.max(1, content.length));
}

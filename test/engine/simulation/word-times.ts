import type { SpokenWord } from '../../../engine/ports/voice.ts';

/** Every character takes the same time. */
export function evenWordTimes(text: string, characterMs: number): readonly SpokenWord[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    startMs: match.index * characterMs,
    endMs: (match.index + match[0].length) * characterMs,
  }));
}

/** The first half of a segment's words takes a third of its duration. Times are counted from its first sample. */
export function unevenWordTimes(text: string, durationMs: number): readonly SpokenWord[] {
  const words = text.split(/\s+/);
  const half = Math.ceil(words.length / 2);
  const endOf = (index: number) =>
    index < half
      ? (durationMs / 3) * ((index + 1) / half)
      : durationMs / 3 + ((durationMs * 2) / 3) * ((index + 1 - half) / (words.length - half));
  return words.map((word, index) => ({ text: word, startMs: index === 0 ? 0 : endOf(index - 1), endMs: endOf(index) }));
}

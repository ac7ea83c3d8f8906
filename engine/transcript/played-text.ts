import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import type { SpokenWord } from '../ports/voice.ts';

/** Estimated time per character of a segment whose length is unknown, in ms: the pace of a slow telephone voice. */
export const SPOKEN_CHARACTER_MS = 70;

/**
 * The played part of a segment's text: the words whose last sample has left on the wire. Uses the voice's word times;
 * without them, each word ends in proportion to its place in the text.
 *
 * @param playedMs playback position in the segment
 * @param durationMs length of the segment; null while it is unknown
 */
export function playedText(
  text: string,
  playedMs: number,
  durationMs: number | null,
  words: readonly SpokenWord[] = [],
): string {
  if (playedMs <= 0) return '';
  if (durationMs !== null && playedMs >= durationMs) return text;
  const end = words.length > 0 ? endByWordTimes(text, playedMs, words) : endByProportion(text, playedMs, durationMs);
  return withClosingPunctuation(text, end);
}

/** The playback position in a segment, from the position in its reply. */
export function segmentPlayedMs(segment: Segment, utterancePlayedMs: number): number {
  return segment.playout === null ? 0 : Math.max(0, utterancePlayedMs - segment.playout.startMs);
}

export function playedTextOf(segment: Segment, utterancePlayedMs: number): string {
  if (segment.ended) return segment.text;
  return playedText(segment.text, segmentPlayedMs(segment, utterancePlayedMs), segment.durationMs, segment.words);
}

/** The playback position in a segment at which its first word was heard, in ms; its end if it has no words. */
export function firstWordEndMs({ text, durationMs, words }: Segment): number {
  const lengthMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
  const [first] = wordSpans(text);
  const byProportion = first === undefined ? [] : [Math.ceil((first.end * lengthMs) / text.length)];
  const ends = words.length > 0 ? words.map(({ endMs }) => endMs) : byProportion;
  return ends.find((endMs) => playedText(text, endMs, durationMs, words) !== '') ?? lengthMs;
}

export function firstWord(text: string): string {
  return withClosingPunctuation(text, wordSpans(text)[0]?.end ?? text.length);
}

function endByProportion(text: string, playedMs: number, durationMs: number | null): number {
  const lengthMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
  let end = 0;
  for (const span of wordSpans(text)) {
    // Products, not quotients: a rounded quotient can lie past the sample at which a word ends.
    if (span.end * lengthMs > playedMs * text.length) break;
    end = span.end;
  }
  return end;
}

/** Scripts without spaces between words: a word of the voice can lie inside one of the text's words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Looks up the voice's words in the text, in order; a word that the text spells differently is skipped. */
function endByWordTimes(text: string, playedMs: number, words: readonly SpokenWord[]): number {
  const spans = wordSpans(text);
  const written = wordsOf(text);
  let next = 0;
  let end = 0;
  for (const part of words.filter(({ endMs }) => endMs <= playedMs).flatMap((word) => wordsOf(word.text))) {
    const at = written.indexOf(part, next);
    const inside = UNSPACED.test(part) ? text.indexOf(part, end) : -1;
    if (at >= 0) {
      next = at + 1;
      end = spans[at]?.end ?? end;
    } else if (inside >= 0) end = inside + part.length;
  }
  return end;
}

/** The text up to `end`, with the punctuation that follows its last word. */
export function withClosingPunctuation(text: string, end: number): string {
  if (end === 0) return '';
  const closing = /^[^\s\p{L}\p{N}]*/u.exec(text.slice(end))?.[0] ?? '';
  return text.slice(0, end + closing.length);
}

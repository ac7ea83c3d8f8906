import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import type { SpokenWord } from '../ports/voice.ts';

/** How long a character is spoken, where the voice has not yet told how long the segment plays: slow, as telephone voices are. */
export const SPOKEN_CHARACTER_MS = 70;

/**
 * The part of a segment's text that was heard: the words whose last sample has left on the wire. The word times of the
 * voice decide where it gives them, else each word ends in proportion to its place in the text.
 *
 * @param playedMs what of the segment has left on the wire
 * @param durationMs how long it plays; null where that is not known yet
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
  return withClosing(text, end);
}

/** What of a segment has left on the wire, when `utterancePlayedMs` of its utterance have. */
export function segmentPlayedMs(segment: Segment, utterancePlayedMs: number): number {
  return segment.playout === null ? 0 : Math.max(0, utterancePlayedMs - segment.playout.playedMs);
}

export function playedTextOf(segment: Segment, utterancePlayedMs: number): string {
  if (segment.ended) return segment.text;
  return playedText(segment.text, segmentPlayedMs(segment, utterancePlayedMs), segment.durationMs, segment.words);
}

function endByProportion(text: string, playedMs: number, durationMs: number | null): number {
  const wholeMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
  let end = 0;
  for (const span of wordSpans(text)) {
    // Multiplied out: a share of the text in floating point is now and then past the very sample at which a word ends.
    if (span.end * wholeMs > playedMs * text.length) break;
    end = span.end;
  }
  return end;
}

/** Scripts that put no space between words: a voice's word can stand anywhere in one of ours. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The voice's words are looked up one after another; one that the text does not hold as written is passed over. */
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

/** Punctuation that belongs to the last heard word is kept with it. */
export function withClosing(text: string, end: number): string {
  if (end === 0) return '';
  const closing = /^[^\s\p{L}\p{N}]*/u.exec(text.slice(end))?.[0] ?? '';
  return text.slice(0, end + closing.length);
}

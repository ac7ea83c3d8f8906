import type { CallContext } from '../core/context.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { wordSpans, wordsOf } from '../languages/words.ts';
import { SPOKEN_CHARACTER_MS } from '../transcript/played-text.ts';

/** Error of an estimated word time in the middle of a segment, as a share of the segment's length. Its ends are known. */
const ESTIMATE_SHARE = 0.1;

/** A word of the agent. */
export interface PlayedWord {
  readonly word: string;
  /** When it began to play, and by how much this may be wrong. */
  readonly atUs: number;
  readonly errorUs: number;
}

/** The words of the segments that were heard in this interval, in their order. */
export function playedWords(
  { reply, lastPlayedSegments }: CallContext,
  fromUs: number,
  untilUs: number,
): readonly PlayedWord[] {
  return [...lastPlayedSegments, ...(reply?.segments ?? [])]
    .filter((segment) => {
      if (segment.playout === null) return false;
      const { startedUs, pauses = [] } = segment.playout;
      const pausedUs = pauses.reduce((sum, { durationUs }) => sum + durationUs, 0);
      return startedUs - pausedUs <= untilUs && startedUs + lengthMs(segment) * 1000 >= fromUs;
    })
    .flatMap(wordsOfSegment);
}

function lengthMs({ durationMs, text }: Segment): number {
  return durationMs ?? text.length * SPOKEN_CHARACTER_MS;
}

function wordsOfSegment(segment: Segment): readonly PlayedWord[] {
  const { text, playout, words } = segment;
  if (playout === null) return [];
  const spans = wordSpans(text);
  return spans.map(({ word, end }, index) => {
    const reported = words.length === spans.length ? words[index] : undefined;
    const share = (end - word.length) / text.length;
    const playedUs = playout.startedUs + (reported?.startMs ?? share * lengthMs(segment)) * 1000;
    const atUs = (playout.pauses ?? []).reduceRight(
      (us, { untilUs, durationUs }) => (us < untilUs ? us - durationUs : us),
      playedUs,
    );
    const errorMs = reported === undefined ? ESTIMATE_SHARE * 4 * share * (1 - share) * lengthMs(segment) : 0;
    return { word: wordsOf(word).join(' '), atUs, errorUs: errorMs * 1000 };
  });
}

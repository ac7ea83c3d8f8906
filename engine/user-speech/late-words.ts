import type { CommittedSpeech, SpeechRevision, SpeechSegment } from '../core/state/speech-timeline.ts';
import { committedCount, openWords, withClaim } from './commit-mark.ts';

/** Evidence besides the words. */
export interface Hearing {
  /** Start of the voice activity since the last commit mark; null without any. */
  readonly activityStartMs: number | null;
  /** How far the times of the transcriber's words may lie from the sound. */
  readonly wordErrorMs: number;
}

/**
 * The segment's open words that were spoken before a commit mark belong to the turn of that mark: they are only known now.
 * Turns keep their order within a segment.
 */
export function withLateWords(
  segment: SpeechSegment,
  revision: SpeechRevision,
  committed: readonly CommittedSpeech[],
  hearing: Hearing,
): SpeechSegment {
  const entry = segment.claims.at(-1)?.entry;
  const earliest = Math.max(
    0,
    committed.findIndex((speech) => speech.entry === entry),
  );
  return committed.slice(earliest).reduce((late, speech, index) => {
    const next = committed[earliest + index + 1];
    const untilMs = lateUntilMs(speech, next === undefined ? hearing.activityStartMs : next.activityStartMs, hearing);
    return withClaim(late, speech.entry, countUntil(revision, late, untilMs));
  }, segment);
}

/** How many of the segment's open words begin before a position. Without word times the whole revision decides. */
function countUntil({ words, endMs }: SpeechRevision, segment: SpeechSegment, untilMs: number): number {
  const count = openWords(segment).length;
  const from = committedCount(segment);
  if (words.length !== from + count) return endMs <= untilMs ? count : 0;
  const firstNew = words.findIndex(({ startMs }, index) => index >= from && startMs >= untilMs);
  return firstNew < 0 ? count : firstNew - from;
}

/**
 * Words that begin before this position belong to the committed speech.
 *
 * @param nextMs start of the next voice activity; null without any
 */
function lateUntilMs(
  { wordsEndMs, activityEndMs }: CommittedSpeech,
  nextMs: number | null,
  { wordErrorMs }: Hearing,
): number {
  if (activityEndMs === null) return wordsEndMs;
  const untilMs = Math.max(wordsEndMs, activityEndMs);
  if (nextMs === null) return untilMs + wordErrorMs;
  return Math.max(wordsEndMs, Math.min((untilMs + nextMs) / 2, untilMs + wordErrorMs));
}

import type { CommittedSpeech, SpeechRevision } from '../core/state/speech-timeline.ts';

/** Word times of transcribers are wrong by up to this much, in ms. */
const TIME_ERROR_MS = 500;

/**
 * How many of a revision's words, from `from` on, were spoken before the commit mark and are only known now. Without
 * word times the whole revision decides.
 *
 * @param count the number of its words
 * @param activityStartMs start of the voice activity since the mark; null without any
 */
export function lateWordCount(
  { words, endMs }: SpeechRevision,
  from: number,
  count: number,
  committed: CommittedSpeech,
  activityStartMs: number | null,
): number {
  const untilMs = lateUntilMs(committed, activityStartMs);
  if (words.length !== count) return endMs <= untilMs ? count - from : 0;
  const firstNew = words.findIndex(({ startMs }, index) => index >= from && startMs >= untilMs);
  return (firstNew < 0 ? count : firstNew) - from;
}

/** Words that begin before this position belong to the committed speech. */
function lateUntilMs({ wordsEndMs, activityEndMs }: CommittedSpeech, activityStartMs: number | null): number {
  if (activityEndMs === null) return wordsEndMs;
  const untilMs = Math.max(wordsEndMs, activityEndMs);
  if (activityStartMs === null) return untilMs + TIME_ERROR_MS;
  return Math.max(wordsEndMs, Math.min((untilMs + activityStartMs) / 2, untilMs + TIME_ERROR_MS));
}

import type { SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import { committedCount, committedUntilMs, openWords } from './commit-mark.ts';

/** Segments with words after the commit mark. */
function openSegments({ segments }: SpeechTimeline): readonly SpeechSegment[] {
  return segments.filter((segment) => openWords(segment).length > 0);
}

/** The final ones among them. */
export function openFinals(speech: SpeechTimeline): readonly SpeechSegment[] {
  return openSegments(speech).filter(({ state }) => state === 'final');
}

/** Whether words of the open turn may still change. */
export function hasChangingWords(speech: SpeechTimeline): boolean {
  return openSegments(speech).some(({ state }) => state !== 'final');
}

/** Position in the user's audio, in ms, up to which the words are known and will not be sent again. */
export function transcribedUntilMs(timeline: SpeechTimeline): number {
  return Math.max(timeline.finalUntilMs, committedUntilMs(timeline));
}

/** Start of the first word of the open turn, in ms of the user's audio; null without words. */
export function openWordsStartMs(speech: SpeechTimeline): number | null {
  const starts = openSegments(speech).map(
    (segment) => segment.words[committedCount(segment)]?.startMs ?? segment.startMs,
  );
  return starts.length === 0 ? null : Math.max(Math.min(...starts), committedUntilMs(speech));
}

/** End of the last known word of the open turn, in ms of the user's audio; null without words. */
export function openWordsEndMs(speech: SpeechTimeline): number | null {
  const ends = openSegments(speech).map(({ words, endMs }) => words.at(-1)?.endMs ?? endMs);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** Committed words that may still change, with an end after `sinceMs`. */
export function changingCommittedWords({ segments }: SpeechTimeline, sinceMs: number): readonly SpeechSegment[] {
  return segments.filter(({ state, claims, endMs }) => state !== 'final' && claims.length > 0 && endMs > sinceMs);
}

import type { SpeechRevision, SpeechSegment, SpeechTimeline } from '../core/state/speech-timeline.ts';
import { spokenForm, writtenWords } from './speech-words.ts';

/** The ends of a doubled revision differ from those of the first one by at most this, in ms. A repeated word is longer. */
const TIME_ERROR_MS = 100;

/** Whether the transcriber has sent these words as final before: finals that cover their time contain them. */
export function isDoubled({ segments }: SpeechTimeline, { text, startMs, endMs }: SpeechRevision): boolean {
  const finals = segments.filter((segment) => {
    return segment.state === 'final' && segment.startMs < endMs && segment.endMs > startMs;
  });
  const [first, last] = [finals[0], finals.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (startMs < first.startMs - TIME_ERROR_MS || endMs > last.endMs + TIME_ERROR_MS) return false;
  const words = spokenForms(text);
  const known = finals.flatMap((segment) => spokenForms(segment.text));
  return words.length > 0 && known.some((_, from) => words.every((word, at) => word === known[from + at]));
}

/** A second final for the same speech replaces the first one: it may have another notation («seven two», «7 2»). */
export function hasSameSpan(segment: SpeechSegment, { startMs, endMs }: SpeechRevision): boolean {
  const isNear = Math.max(Math.abs(segment.startMs - startMs), Math.abs(segment.endMs - endMs)) <= TIME_ERROR_MS;
  // Short words follow each other within the error of their times.
  const overlapMs = Math.min(segment.endMs, endMs) - Math.max(segment.startMs, startMs);
  return isNear && overlapMs > (endMs - startMs) / 2;
}

function spokenForms(text: string): readonly string[] {
  return writtenWords(text).map(spokenForm);
}

import type { RuleStep } from '../core/rule-step.ts';
import { wordsOf } from '../languages/words.ts';
import type { TranscribedWord } from '../ports/transcriber.ts';
import { committedCount } from '../user-speech/commit-mark.ts';
import { spokenForm, writtenWords } from '../user-speech/speech-words.ts';

/**
 * Errors of the time of a word that is estimated from its place in the text: largest in the middle of the text, as a
 * share of the text's length and in ms. A text may contain words of the agent and the user, with a pause between them.
 */
const MIDDLE_SHARE = 0.25;
const MIDDLE_MS_MAX = 500;

/** A word of a transcriber's event. */
export interface HeardWord {
  readonly word: string;
  readonly written: string;
  readonly fromUs: number;
  readonly untilUs: number;
  /** By how much `fromUs` may be wrong, besides the error of the transcriber; 0 if the transcriber reports word times. */
  readonly errorUs: number;
}

interface TimedText {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly words?: readonly TranscribedWord[];
}

/** Whether each word of the text has its times. */
export function hasWordTimes({ text, words = [] }: TimedText): boolean {
  return words.length > 0 && words.length === writtenWords(text).length;
}

/** The words of a text, with their times or estimates of them. */
export function heardWords(step: RuleStep, event: TimedText): readonly HeardWord[] {
  const { startMs, endMs, words = [] } = event;
  const written = writtenWords(event.text);
  const isTimed = hasWordTimes(event);
  const lengthMs = endMs - startMs;
  const characters = Math.max(1, written.join(' ').length);
  let before = 0;
  return written.map((text, index) => {
    const [from, until] = [before / characters, (before + text.length) / characters];
    before += text.length + 1;
    const times = isTimed ? words[index] : undefined;
    const errorMs = Math.min(MIDDLE_MS_MAX, MIDDLE_SHARE * 4 * from * (1 - from) * lengthMs);
    return {
      word: spokenForm(text),
      written: text,
      fromUs: step.audioUs(times?.startMs ?? startMs + from * lengthMs),
      untilUs: step.audioUs(times?.endMs ?? startMs + until * lengthMs),
      errorUs: times === undefined ? errorMs * 1000 : 0,
    };
  });
}

/** The words of the open turn, as `wordsOf` divides its text. */
export function openHeardWords(step: RuleStep): readonly HeardWord[] {
  return step.context.userTurn.speech.segments
    .flatMap((segment) => heardWords(step, segment).slice(committedCount(segment)))
    .flatMap((heard) => wordsOf(heard.written).map((word) => ({ ...heard, word })));
}

import type { CallEvent } from '../core/event.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FinalWords } from '../core/state/interruption-slice.ts';
import { hasWordTimes } from './heard-words.ts';

/**
 * Speech is reported at most this long after a word of it has ended: a soft answer after 0.8 s of voice or 0.2 s of
 * silence, with its pauses and the delay of the report.
 */
const LATE_ACTIVITY_US_MAX = 2_000_000;
/** Finals that are remembered: one sentence of 2 s in short parts. The oldest one is forgotten. */
const LEFT_OUT_MAX = 4;

export function hasFinalWords(event: CallEvent): event is FinalWords {
  return event.type === 'transcriber.final' || (event.type === 'transcriber.turn' && event.phase === 'ended');
}

/** Remembers words that no voice activity of the user was known for: it may be reported after them. */
export function rememberLeftOut(step: RuleStep, words: readonly FinalWords[]): void {
  step.change({ leftOut: [...step.context.leftOut, ...words].slice(-LEFT_OUT_MAX) });
}

/** The call's inbox has left out words of the background. */
export function onWordsLeftOut(step: RuleStep): void {
  if (step.event.type === 'engine.words_left_out') rememberLeftOut(step, [step.event.words]);
}

/**
 * Takes the words that were left out and ended after the reported speech had begun. The others are forgotten: speech that
 * is reported later begins later.
 */
export function takeWordsSince(step: RuleStep, speechStartMs: number): readonly FinalWords[] {
  const { leftOut } = step.context;
  if (leftOut.length === 0) return leftOut;
  step.change({ leftOut: [] });
  return leftOut.flatMap((event) => {
    const late = wordsSince(event, speechStartMs);
    return late !== null && step.nowUs - step.audioUs(late.endMs) <= LATE_ACTIVITY_US_MAX ? [late] : [];
  });
}

function wordsSince(event: FinalWords, fromMs: number): FinalWords | null {
  if (event.endMs <= fromMs) return null;
  if (!hasWordTimes(event)) return event;
  const words = (event.words ?? []).filter(({ endMs }) => endMs > fromMs);
  const [first] = words;
  if (first === undefined) return null;
  return { ...event, text: words.map(({ text }) => text).join(' '), words, startMs: first.startMs };
}

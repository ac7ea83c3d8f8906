import type { CallContext } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { watchBusyAgain } from '../fillers/tool-filler.ts';
import { mayInterrupt, wordsMayInterrupt } from '../interruption/interruption.ts';
import { askNext, startReply } from '../playout/reply.ts';
import { commitTurn, turnHasWords } from '../turn-detection/commit-turn.ts';
import { dropOwnInterim } from '../turn-detection/user-turn.ts';
import { isGreeted } from '../turn-taking/turn-taking.ts';
import { requestExtraction } from '../variable-extraction/extraction.ts';

/** Where the agent sets no maximum. */
const DIGITS_MAX = 64;
/** Entries that wait for an agent that is not to be interrupted; the oldest is dropped. */
const ENTRIES_MAX = 10;

/** Keys that the caller presses are one entry until the terminator, a pause, or the greatest number of them. */
export function pressKey(step: Step): void {
  const { event } = step;
  if (event.type !== 'media.dtmf') return;
  const { dtmf } = step.context.agent;
  const ends = event.digit === dtmf.terminator;
  if (!ends) addKey(step, event.digit);
  const length = step.context.digits.pressed?.keys.length ?? 0;
  if (ends || length >= (dtmf.max_digits ?? DIGITS_MAX)) endEntry(step);
  else step.startTimer('dtmf', dtmf.pause * 1000);
}

function addKey(step: Step, key: string): void {
  const { digits } = step.context;
  const { keys, startUs } = digits.pressed ?? { keys: '', startUs: step.nowUs };
  step.change({ digits: { ...digits, pressed: { keys: keys + key, startUs, endUs: step.nowUs } } });
}

/** The terminator, the last digit or a pause: what was pressed is one entry. */
export function endEntry(step: Step): void {
  const { pressed, entries } = step.context.digits;
  if (pressed === null) return;
  step.stopTimer('dtmf');
  step.change({ digits: { pressed: null, entries: [...entries, pressed].slice(-ENTRIES_MAX) } });
}

/** The caller is gone in the middle of a turn: what they said and pressed is kept. */
export function keepLastTurn(step: Step): void {
  dropOwnInterim(step);
  endEntry(step);
  if (!turnHasWords(step.context) && step.context.digits.entries.length === 0) return;
  commitTurn(step);
  requestExtraction(step);
}

/** Whoever also speaks has one turn of both: it is over when their words are. */
export function digitsAreDue(context: CallContext): boolean {
  return context.digits.entries.length > 0 && !turnHasWords(context);
}

/** Where words may take the floor as well, the turn begins with these. */
export function digitsInterrupt(context: CallContext): boolean {
  return context.digits.entries.length > 0 && mayInterrupt(context) && !wordsMayInterrupt(context);
}

export function answerDigits(step: Step): void {
  dropOwnInterim(step);
  const turn = commitTurn(step);
  requestExtraction(step);
  if (isGreeted(step, turn)) return;
  startReply(step, turn);
  askNext(step);
  watchBusyAgain(step);
}

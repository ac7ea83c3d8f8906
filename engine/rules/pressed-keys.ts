import type { TakenTurn } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import { dropOwnInterim } from './caller-turn.ts';
import { requestExtraction } from './extraction.ts';
import { addCallerWords } from './history.ts';
import { askNext, startReply } from './reply.ts';
import { watchBusyAgain } from './still-busy.ts';
import { commitTurn, turnHasWords } from './taken-turn.ts';
import { writeDigits } from './transcript.ts';

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
  const pressed = ends ? step.context.digits.pressed : step.context.digits.pressed + event.digit;
  step.change({ digits: { ...step.context.digits, pressed } });
  if (ends || pressed.length >= (dtmf.max_digits ?? DIGITS_MAX)) endEntry(step);
  else step.startTimer('dtmf', dtmf.pause * 1000);
}

/** The terminator, the last digit or a pause: what was pressed is one entry. */
export function endEntry(step: Step): void {
  const { pressed, entries } = step.context.digits;
  step.stopTimer('dtmf');
  if (pressed !== '') step.change({ digits: { pressed: '', entries: [...entries, pressed].slice(-ENTRIES_MAX) } });
}

export function answerDigits(step: Step): void {
  dropOwnInterim(step);
  const turn = commitInput(step);
  requestExtraction(step);
  startReply(step, turn);
  askNext(step);
  watchBusyAgain(step);
}

/** The caller is gone in the middle of a turn, or before keys were answered: their words and keys are kept. */
export function keepLastInput(step: Step): void {
  dropOwnInterim(step);
  if (step.context.digits.pressed !== '') endEntry(step);
  if (!turnHasWords(step.context) && step.context.digits.entries.length === 0) return;
  commitInput(step);
  requestExtraction(step);
}

/** What was said before the keys stands before them: «my number is» is no turn of its own behind the number. */
function commitInput(step: Step): TakenTurn {
  const spoken = turnHasWords(step.context) ? commitTurn(step) : null;
  const { pressed, entries } = step.context.digits;
  for (const entry of entries) {
    writeDigits(step, entry);
    addCallerWords(step, `[pressed the keys ${entry}]`);
  }
  step.change({ digits: { pressed, entries: [] }, owed: false, presence: { asked: 0, pausedUntilUs: 0 } });
  return { number: spoken?.number ?? step.next('turn'), speechEndedUs: step.nowUs, takenUs: step.nowUs };
}

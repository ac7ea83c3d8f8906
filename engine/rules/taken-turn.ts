import type { CallContext, TakenTurn } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import { takeTurn } from './caller-turn.ts';
import { addCallerWords } from './history.ts';
import { MONOLOGUE_NOTE } from './monologue.ts';
import { writeCallerLine } from './transcript.ts';
import { turnText } from './turn-text.ts';

export function turnHasWords({ caller }: CallContext): boolean {
  return turnText(caller) !== '';
}

/** What the caller has said becomes their turn, whole. */
export function commitTurn(step: Step): TakenTurn {
  const { caller } = step.context;
  step.stopTimer('endpoint');
  writeCallerLine(step);
  addCallerWords(step, caller.cutShort ? `${turnText(caller)} ${MONOLOGUE_NOTE}` : turnText(caller));
  // What the transcriber still holds of these words must not be mixed with the next ones.
  if (caller.interim !== null) step.order({ type: 'transcriber.finalize' });
  takeTurn(step);
  // Whoever asked for time is back.
  step.change({ presence: { asked: 0, pausedUntilUs: 0 }, owed: false });
  return { number: step.next('turn'), speechEndedUs: caller.endedUs ?? step.nowUs, takenUs: step.nowUs };
}

import type { CallContext, PressedKeys, TakenTurn } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { addCallerWords } from '../transcript/history.ts';
import { writeCallerLine, writeDigits } from '../transcript/transcript.ts';
import { MONOLOGUE_NOTE } from './monologue.ts';
import { turnText } from './turn-text.ts';
import { takeTurn } from './user-turn.ts';

export function turnHasWords({ caller }: CallContext): boolean {
  return turnText(caller) !== '';
}

/** What the caller has said and pressed becomes their turn, whole, each in its place. */
export function commitTurn(step: Step): TakenTurn {
  const { caller, digits } = step.context;
  const hasWords = turnHasWords(step.context);
  const wordsUs = caller.startedUs ?? step.nowUs;
  step.stopTimer('endpoint');
  takeKeys(
    step,
    digits.entries.filter((entry) => entry.startUs < wordsUs),
  );
  if (hasWords) takeWords(step);
  const later = digits.entries.filter((entry) => entry.startUs >= wordsUs);
  takeKeys(step, later);
  // Whoever asked for time is back.
  step.change({ digits: { ...digits, entries: [] }, presence: { asked: 0, pausedUntilUs: 0 }, owed: false });
  const speechEndedUs = hasWords && later.length === 0 ? caller.endedUs : null;
  return { number: step.next('turn'), speechEndedUs: speechEndedUs ?? step.nowUs, takenUs: step.nowUs };
}

function takeWords(step: Step): void {
  const { caller } = step.context;
  writeCallerLine(step);
  addCallerWords(step, caller.cutShort ? `${turnText(caller)} ${MONOLOGUE_NOTE}` : turnText(caller));
  // What the transcriber still holds of these words must not be mixed with the next ones.
  if (caller.interim !== null) step.order({ type: 'transcriber.finalize' });
  takeTurn(step);
}

function takeKeys(step: Step, entries: readonly PressedKeys[]): void {
  for (const entry of entries) {
    writeDigits(step, entry);
    addCallerWords(step, `[pressed the keys ${entry.keys}]`);
  }
}

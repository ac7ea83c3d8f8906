import type { RuleStep } from '../core/rule-step.ts';
import type { LastTurn } from '../core/state/turn-detection-slice.ts';
import { reopenWords } from '../user-speech/commit-mark.ts';

/** The last turn goes on: its words and those that followed are one turn, with its entry. */
export function reopenLastTurn(step: RuleStep, { entry, endUs }: LastTurn): void {
  const { userTurn } = step.context;
  const speech = reopenWords(userTurn.speech, entry.sequence);
  const endedUs = Math.max(userTurn.endedUs ?? 0, endUs ?? 0);
  step.change({ lastTurn: null, userTurn: { ...userTurn, speech, entry, startedUs: entry.startUs, endedUs } });
}

import type { RuleStep } from '../core/rule-step.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** Only the latest pauses count: the user may read something out at first and talk freely later. */
const PAUSES_MAX = 8;

/** Measures a pause of the user within an open turn, when they speak again. */
export function measureOwnPause(step: RuleStep): void {
  const { event } = step;
  const { userTurn, ownPausesMs } = step.context;
  if (event.type !== 'media.speech_started' || userTurn.endedUs === null || userTurnText(userTurn) === '') return;
  const pauseMs = Math.round((step.audioUs(event.audioMs) - userTurn.endedUs) / 1000);
  if (pauseMs > 0) step.change({ ownPausesMs: [...ownPausesMs, pauseMs].slice(-PAUSES_MAX) });
}

import { DICTATION_REASONS } from '../completeness/end-of-turn-pause.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { OpenPause } from '../core/state/turn-detection-slice.ts';
import { openWordsEndMs } from '../user-speech/open-speech.ts';
import { turnCompleteness } from './turn-completeness.ts';

/** Only the latest pauses count: the user may read something out at first and talk freely later. */
const PAUSES_MAX = 8;

/** Measures a pause of the user within an open turn, once words after it are known. */
export function measureOwnPause(step: RuleStep): void {
  const { event } = step;
  const { userTurn, ownPausesMs } = step.context;
  const wordsEndMs = openWordsEndMs(userTurn.speech);
  if (wordsEndMs === null) return;
  if (event.type === 'media.speech_started') {
    step.change({ userTurn: { ...userTurn, pause: pauseUntil(step, step.audioUs(event.audioMs)) } });
  } else if (userTurn.pause !== null && step.audioUs(wordsEndMs) > userTurn.pause.untilUs) {
    step.change({
      ownPausesMs: [...ownPausesMs, userTurn.pause.lengthMs].slice(-PAUSES_MAX),
      userTurn: { ...userTurn, pause: null },
    });
  }
}

/**
 * The silence that ends now; null if the user has not been silent, or is dictating: the pauses of a dictation are longer than those between
 * other words of the same user.
 */
function pauseUntil(step: RuleStep, untilUs: number): OpenPause | null {
  const { endedUs } = step.context.userTurn;
  const lengthMs = endedUs === null ? 0 : Math.round((untilUs - endedUs) / 1000);
  const isDictated = lengthMs > 0 && turnCompleteness(step).reasons.some((reason) => DICTATION_REASONS.has(reason));
  return lengthMs > 0 && !isDictated ? { lengthMs, untilUs } : null;
}

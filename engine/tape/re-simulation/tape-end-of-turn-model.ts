import type { Clock } from '../../../base/time/clock.ts';
import type { EndOfTurnModel } from '../../ports/end-of-turn-model.ts';
import type { RecordedEndOfTurn } from './recorded-responses.ts';

/**
 * Answers at each pause as on the tape, after the recorded delay. At a pause that the tape has no answer for, it does not
 * answer, and the rules decide: the model on the tape was asked elsewhere, or was too slow.
 *
 * @param pauseMs position of the user's last pause in their audio; null before the first one
 */
export function createTapeEndOfTurnModel(
  answers: ReadonlyMap<number, RecordedEndOfTurn>,
  pauseMs: () => number | null,
  after: Clock['after'],
): EndOfTurnModel {
  return {
    judge(_audio, _format, answer) {
      const atMs = pauseMs();
      const recorded = atMs === null ? undefined : answers.get(atMs);
      if (recorded !== undefined) after(recorded.delayMs, () => answer(recorded.probability));
    },
  };
}

import type { RuleStep } from '../core/rule-step.ts';
import type { PendingTurn } from '../core/state/playout-slice.ts';
import { changeReply, requestGeneration, startReply } from '../playout/reply.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** The turn has probably ended (`ahead`), or certainly: the model is asked. The turn is committed once its answer is heard. */
export function askModel(step: RuleStep, phase: 'ahead' | 'ended'): void {
  const { corrections, pendingResponse, userTurn } = step.context;
  const pending: PendingTurn = {
    phase,
    text: userTurnText(userTurn),
    item: step.nextNumber('item'),
    request: null,
    endedUs: phase === 'ended' ? step.nowUs : null,
    wasResponsePending: pendingResponse || corrections.length > 0,
  };
  // The request contains the latest words of the previous turn.
  step.change({ corrections: [] });
  startReply(step, null);
  changeReply(step, { pending });
  requestGeneration(step);
}

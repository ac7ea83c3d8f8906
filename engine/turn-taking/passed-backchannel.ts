import type { RuleStep } from '../core/rule-step.ts';
import { isAnsweredAfterReply } from '../interruption/answered-after-reply.ts';
import { isAnswerUnheard } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { resetCommittedTurn } from '../turn-detection/user-turn.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { userHasTurn } from './turn-taking.ts';

/**
 * The user speaks again over the same reply. A backchannel that is too old to be an answer has its own entry: what follows
 * is another turn. Runs before the rules see the new speech.
 */
export function leaveBackchannel(step: RuleStep): void {
  const { context } = step;
  const { reply, userTurn } = context;
  if (reply === null || reply.pending !== null || userTurn.speaking || !userHasTurn(context)) return;
  if (hasChangingWords(userTurn.speech) || isAnswerUnheard(context) || isAnsweredAfterReply(step)) return;
  leave(step);
}

/**
 * The words of a backchannel become known after the end of the reply. They get no answer, as if they had been known
 * during it.
 */
export function leaveLateBackchannel(step: RuleStep): void {
  const { lastFinishedReply, reply } = step.context;
  if (reply !== null || lastFinishedReply === null || !userTurnHasWords(step.context)) return;
  if (!isAnsweredAfterReply(step)) leave(step);
}

function leave(step: RuleStep): void {
  writeUserEntry(step);
  if (step.context.userTurn.entry !== null) resetCommittedTurn(step, null);
}

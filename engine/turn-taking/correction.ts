import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { dropReply } from '../playout/drop-reply.ts';
import { changeReply, requestGeneration, startReply } from '../playout/reply.ts';
import { hasCallsAfter } from '../transcript/history.ts';
import { isAnswerOverdue } from '../turn-detection/words-after-request.ts';

/** The end of a sentence, with closing quotes: “ and « close one in German. */
const SENTENCE_END = /[.!?…。！？]["'”“’‘»«)\]」]*$/;

/** The agent's answer is wrong for what the user said, and no sentence of it is being played. The goodbye is played whole. */
export function isCorrectionDue(context: CallContext): boolean {
  const { corrections, decidedEnd, reply } = context;
  if (corrections.length === 0 || decidedEnd !== null) return false;
  if (reply === null) return true;
  if (isAnswerOverdue(context)) return false;
  // The model is asked about a pending turn again, with all words. Other speech than the model's is heard to its end.
  const isAnswer = reply.pending === null && reply.modelRequests > 0 && reply.interruptible;
  return (
    isAnswer && reply.segments.every(({ ended, interruptible }) => ended || interruptible) && isBetweenSentences(reply)
  );
}

function isBetweenSentences({ segments }: Reply): boolean {
  const started = segments.filter(({ playout }) => playout !== null);
  if (started.some(({ ended }) => !ended)) return false;
  const last = started.at(-1);
  return last === undefined || SENTENCE_END.test(last.text) || started.length === segments.length;
}

/** Drops the rest of the wrong answer, and answers what the user said. */
export function answerCorrection(step: RuleStep): void {
  const { corrections, reply } = step.context;
  const wasHeard = reply === null || reply.segments.some(({ playout }) => playout !== null);
  const turn = reply?.turn ?? null;
  dropReply(step, 'correction');
  step.change({ corrections: [] });
  startReply(step, wasHeard ? null : turn);
  if (wasHeard || corrections.some(({ item }) => hasCallsAfter(step.context.history, item)))
    changeReply(step, { corrections });
  requestGeneration(step);
}

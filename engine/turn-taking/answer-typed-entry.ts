import type { RuleStep } from '../core/rule-step.ts';
import { closeDtmfEntry } from '../dtmf/dtmf-entry.ts';
import { requestGeneration, startReply } from '../playout/reply.ts';
import { endRefusedCall } from '../recording/recording-consent.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { answerWithInitialMessage } from './turn-taking.ts';

export function answerTypedEntry(step: RuleStep): void {
  const turn = commitTurn(step);
  requestExtraction(step);
  if (answerWithInitialMessage(step, turn)) {
    // Users who know the menu enter digits before its prompt: the model answers them after it.
    step.change({ pendingResponse: true });
    return;
  }
  endRefusedCall(step);
  startReply(step, turn);
  requestGeneration(step);
}

/** The call ends during a user turn: its words and digits are kept. */
export function commitLastTurn(step: RuleStep): void {
  closeDtmfEntry(step);
  if (!userTurnHasWords(step.context) && step.context.dtmf.entries.length === 0) return;
  commitTurn(step);
  requestExtraction(step);
}

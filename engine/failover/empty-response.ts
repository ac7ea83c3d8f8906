import type { RuleStep } from '../core/rule-step.ts';
import { languagePack } from '../languages/language-packs.ts';
import { say } from '../playout/reply.ts';
import { failCall } from './call-failure.ts';

/** Consecutive turns that end in an apology; at the next one the model counts as failed. */
const APOLOGIES_IN_ROW_MAX = 2;

/**
 * Apologises when the model has given no answer and is not asked again in this turn; the user may then repeat
 * themselves. A voicemail cannot, so the call ends.
 */
export function apologiseForEmptyResponse(step: RuleStep): void {
  const { reply, agent, answeringMachine, decidedEnd, failover } = step.context;
  if (reply?.followUp.type !== 'listen' || decidedEnd !== null) return;
  if (failover.consecutiveEmptyResponses >= APOLOGIES_IN_ROW_MAX || answeringMachine.type === 'voicemail') {
    failCall(step, 'llm_error', 'the model answered with nothing, again and again');
    return;
  }
  step.change({ failover: { ...failover, consecutiveEmptyResponses: failover.consecutiveEmptyResponses + 1 } });
  say(step, languagePack(agent.language).emptyResponseApology);
}

/** The model has answered in words. */
export function resetEmptyResponses(step: RuleStep): void {
  step.change({ failover: { ...step.context.failover, consecutiveEmptyResponses: 0 } });
}

import type { RuleStep } from '../core/rule-step.ts';
import { isMenu } from '../core/state/answering-machine-slice.ts';
import { languagePack } from '../languages/language-packs.ts';
import { say, startReply } from '../playout/reply.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { fillVariablesForSpeech } from '../variables/variables.ts';
import { failCall } from './call-failure.ts';

/** After this many consecutive failed turns the action of `on_provider_failure` is taken. */
const FAILED_TURNS_MAX = 2;

/**
 * No provider of a kind answers within the retry budget. The agent apologises and listens on, so that a short outage
 * costs one turn; the second failed turn in a row fails the call. A voicemail cannot repeat itself: the call fails at
 * once.
 *
 * @param isNoticed the user waits for an answer: without it no message is played
 */
export function failTurn(step: RuleStep, reason: EndReason, detail: string, isNoticed = true): void {
  const { decidedEnd, endReason, failover, reply, answeringMachine } = step.context;
  if (decidedEnd !== null || endReason !== null) return;
  const count = (failover.failedTurns?.reason === reason ? failover.failedTurns.count : 0) + 1;
  const isFollowUpDecided = reply !== null && reply.followUp.type !== 'listen';
  if (count >= FAILED_TURNS_MAX || isFollowUpDecided || answeringMachine.type === 'voicemail') {
    failCall(step, reason, detail);
    return;
  }
  step.log({ type: 'turn_failed', reason, detail });
  // A menu does not listen to an apology.
  const isApologyDue = isNoticed && !isMenu(answeringMachine);
  if (isApologyDue && reply === null) startReply(step, null);
  const failedTurns = { reason, count, reply: step.context.reply?.number ?? 0, atUs: step.nowUs };
  step.change({ failover: { ...step.context.failover, failedTurns } });
  if (isApologyDue) apologise(step);
}

/** A turn did not fail for this reason: the count of failed turns starts again. */
export function resetFailedTurns(step: RuleStep, reason: EndReason): void {
  const { failover } = step.context;
  if (failover.failedTurns?.reason === reason) step.change({ failover: { ...failover, failedTurns: null } });
}

/** Says the agent's message, or asks the user to repeat themselves if it has none. */
function apologise(step: RuleStep): void {
  const { agent } = step.context;
  const message = agent.on_provider_failure?.message;
  if (message === '') return;
  const isSpeakable = message !== undefined && fillVariablesForSpeech(step, message) !== '';
  say(step, isSpeakable ? message : languagePack(agent.language).emptyResponseApology);
}

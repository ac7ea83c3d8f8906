import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp } from '../core/state/playout-slice.ts';
import { dropUnsentDtmf } from '../dtmf/send-dtmf.ts';
import { makeUninterruptible } from '../interruption/interruption.ts';
import { languagePack } from '../languages/language-packs.ts';
import { DROP_REASONS } from '../playout/drop-reply.ts';
import { changeReply, hasRequestedTransfer, LISTEN, say, startReply } from '../playout/reply.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { buildTransferRequest } from '../tool-definitions/transfer-request.ts';
import { fillVariablesForSpeech } from '../variables/variables.ts';

/** Ring timeout of the transfer after a failure, in s. */
const FAILURE_TRANSFER_RING_S = 30;

/**
 * Apologises after the speech that is already queued; then the user is transferred or the call ends, as
 * `on_provider_failure` says. Only the first failure counts. During a transfer the apology waits until the transfer
 * fails.
 */
export function failCall(step: RuleStep, reason: EndReason, detail: string): void {
  const { decidedEnd, endReason, reply } = step.context;
  if (decidedEnd !== null || endReason !== null) return;
  step.change({ decidedEnd: reason });
  recordFailure(step, reason, detail);
  if (hasRequestedTransfer(step.context)) {
    makeUninterruptible(step);
    return;
  }
  if (reply === null) startReply(step, null);
  if (reply?.generation != null) step.command({ type: 'model.cancel', generation: reply.generation.number });
  step.stopTimer('generation');
  dropUnsentDtmf(step, DROP_REASONS.failure);
  changeReply(step, { generation: null, requestPending: false, followUp: failureFollowUp(step) });
  makeUninterruptible(step);
  apologise(step);
}

/** Keeps and logs the failure that ends the call. */
export function recordFailure(step: RuleStep, reason: EndReason, detail: string): void {
  step.log({ type: 'call_failed', reason, detail });
  step.change({ failure: { reason, detail } });
}

/** Says the agent's message, or the language's apology if the message is empty once its variables are filled in. */
function apologise(step: RuleStep): void {
  const { agent, failover, reply } = step.context;
  const message = agent.on_provider_failure?.message;
  if (message === '') return;
  // The voice could not speak the message that this reply began with.
  const isUnspoken = failover.failedTurns?.reason === 'voice_error' && failover.failedTurns.reply === reply?.number;
  if (message !== undefined && !isUnspoken && fillVariablesForSpeech(step, message) !== '') say(step, message);
  else sayLanguageApology(step);
}

/** Says the language's apology, once per call. The phrase cache may hold its audio even if no voice is left. */
export function sayLanguageApology(step: RuleStep): void {
  const { agent, failover } = step.context;
  if (failover.apologised) return;
  step.change({ failover: { ...failover, apologised: true } });
  say(step, languagePack(agent.language).apology);
}

/** The apologies of an agent, in the order in which they are tried. */
export function apologiesOf({ language, on_provider_failure }: AgentConfiguration): readonly string[] {
  const { apology, emptyResponseApology } = languagePack(language);
  return [on_provider_failure?.message ?? emptyResponseApology, apology];
}

function failureFollowUp(step: RuleStep): FollowUp {
  const settings = step.context.agent.on_provider_failure;
  if (settings?.action !== 'transfer') return LISTEN;
  const built = buildTransferRequest(step, {
    name: 'on_provider_failure',
    destination: settings.destination ?? '',
    mode: 'refer',
    headers: {},
    ring_timeout: FAILURE_TRANSFER_RING_S,
    allowed_destinations: [],
  });
  if ('request' in built) return { type: 'failure_transfer', request: built.request };
  step.log({ type: 'failure_transfer_skipped', reason: built.fault });
  return LISTEN;
}

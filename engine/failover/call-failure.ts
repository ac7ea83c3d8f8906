import type { AgentConfiguration } from '../agent/agent.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp } from '../core/state/playout-slice.ts';
import { dropUnsentDtmf } from '../dtmf/send-dtmf.ts';
import { makeUninterruptible } from '../interruption/interruption.ts';
import { languagePack } from '../languages/language-packs.ts';
import { DROP_REASONS } from '../playout/drop-reply.ts';
import { changeReply, LISTEN, say, startReply } from '../playout/reply.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { transferRequest } from '../tool-definitions/transfer-request.ts';
import { filledForSpeech } from '../variables/variables.ts';

/** Ring timeout of the transfer after a failure, in s. */
const FAILURE_TRANSFER_RING_S = 30;

/**
 * Says that the call cannot go on, once what is queued was heard; then the user is handed over, or the call ends, as
 * the agent's settings say. The first reason stands. A user who is about to be transferred needs none of it, unless the
 * transfer fails.
 */
export function failCall(step: RuleStep, reason: EndReason, detail: string): void {
  const { decidedEnd, endReason, reply } = step.context;
  if (decidedEnd !== null || endReason !== null) return;
  step.change({ decidedEnd: reason });
  recordFailure(step, reason, detail);
  if (reply?.followUp.type === 'transfer') {
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

/** Which failure ends the call. */
export function recordFailure(step: RuleStep, reason: EndReason, detail: string): void {
  step.log('warn', `the call cannot go on (${reason}): ${detail}`);
  step.change({ failure: { reason, detail } });
}

/** The agent's own message; the language's apology where that has come to nothing, as where all that it names is unknown. */
function apologise(step: RuleStep): void {
  const own = step.context.agent.on_provider_failure?.message;
  if (own === '') return;
  if (own !== undefined && filledForSpeech(step, own) !== '') say(step, own);
  else sayLanguageApology(step);
}

/** The language's apology, which a cache of recordings may hold although no voice is left. Said once a call. */
export function sayLanguageApology(step: RuleStep): void {
  const { agent, failover } = step.context;
  if (failover.apologised) return;
  step.change({ failover: { ...failover, apologised: true } });
  say(step, languagePack(agent.language).apology);
}

/** What may be said when the call cannot go on, in the order in which it is tried. */
export function apologiesOf({ language, on_provider_failure }: AgentConfiguration): readonly string[] {
  const { apology } = languagePack(language);
  return [on_provider_failure?.message ?? apology, apology];
}

function failureFollowUp(step: RuleStep): FollowUp {
  const settings = step.context.agent.on_provider_failure;
  if (settings?.action !== 'transfer') return LISTEN;
  const built = transferRequest(step, {
    name: 'on_provider_failure',
    destination: settings.destination ?? '',
    mode: 'refer',
    headers: {},
    ring_timeout: FAILURE_TRANSFER_RING_S,
    allowed_destinations: [],
  });
  if ('order' in built) return { type: 'failure_transfer', order: built.order };
  step.log('warn', `the caller cannot be handed over: ${built.fault}`);
  return LISTEN;
}

import type { AgentConfiguration } from '../agent/agent.ts';
import type { AfterReply } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { dropKeys } from '../dtmf/send-dtmf.ts';
import { keepFloor } from '../interruption/interruption.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { CUTS } from '../playout/drop-reply.ts';
import { changeReply, LISTEN, say, startReply } from '../playout/reply.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { transferOrder } from '../tool-definitions/transfer-request.ts';
import { filledForSpeech } from '../variables/variables.ts';

/** How long whoever the caller is handed over to may ring; s. */
const RESCUE_RING_SECONDS = 30;

/**
 * Says that the call cannot go on, once what is queued was heard; then the caller is handed over, or the call ends, as
 * the agent's settings say. The first reason stands. A caller who is about to be transferred needs none of it, unless the
 * transfer fails.
 */
export function giveUp(step: Step, reason: EndReason, detail: string): void {
  const { ending, endReason, reply } = step.context;
  if (ending !== null || endReason !== null) return;
  step.change({ ending: reason });
  noteWhy(step, reason, detail);
  if (reply?.after.type === 'transfer') {
    keepFloor(step);
    return;
  }
  if (reply === null) startReply(step, null);
  if (reply?.generation != null) step.order({ type: 'model.cancel', generation: reply.generation.number });
  step.stopTimer('model');
  dropKeys(step, CUTS.failure);
  changeReply(step, { generation: null, asking: false, after: rescue(step) });
  keepFloor(step);
  apologise(step);
}

/** Which failure ends the call. */
export function noteWhy(step: Step, reason: EndReason, detail: string): void {
  step.log('warn', `the call cannot go on (${reason}): ${detail}`);
  step.change({ gaveUp: { reason, detail } });
}

/** The agent's own message; the language's apology where that has come to nothing, as where all that it names is unknown. */
function apologise(step: Step): void {
  const own = step.context.agent.on_provider_failure?.message;
  if (own === '') return;
  if (own !== undefined && filledForSpeech(step, own) !== '') say(step, own);
  else sayPlainApology(step);
}

/** The language's apology, which a cache of recordings may hold although no voice is left. Said once a call. */
export function sayPlainApology(step: Step): void {
  const { agent, failover } = step.context;
  if (failover.apologised) return;
  step.change({ failover: { ...failover, apologised: true } });
  say(step, spokenLanguage(agent.language).apology);
}

/** What may be said when the call cannot go on, in the order in which it is tried. */
export function apologiesOf({ language, on_provider_failure }: AgentConfiguration): readonly string[] {
  const { apology } = spokenLanguage(language);
  return [on_provider_failure?.message ?? apology, apology];
}

function rescue(step: Step): AfterReply {
  const settings = step.context.agent.on_provider_failure;
  if (settings?.action !== 'transfer') return LISTEN;
  const built = transferOrder(step, {
    name: 'on_provider_failure',
    destination: settings.destination ?? '',
    mode: 'refer',
    headers: {},
    ring_timeout: RESCUE_RING_SECONDS,
    allowed_destinations: [],
  });
  if ('order' in built) return { type: 'rescue', order: built.order };
  step.log('warn', `the caller cannot be handed over: ${built.fault}`);
  return LISTEN;
}

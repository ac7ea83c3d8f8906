import type { AgentConfiguration } from '../agent/agent.ts';
import type { AfterReply } from '../call/call-context.ts';
import type { EndReason } from '../call/end-reason.ts';
import type { Step } from '../call/step.ts';
import { keepFloor } from './interruption.ts';
import { dropKeys } from './keys.ts';
import { CUTS, changeReply, LISTEN, say, startReply, takeBack } from './reply.ts';
import { spokenLanguage } from './spoken-language.ts';
import { transferOrder } from './transfer-order.ts';

/** How long whoever the caller is handed over to may ring; s. */
const RESCUE_RING_SECONDS = 30;

/**
 * Says that the call cannot go on, once what is queued was heard; then the caller is handed over, or the call ends, as
 * the agent's settings say. The first reason stands.
 */
export function giveUp(step: Step, reason: EndReason): void {
  const { ending, endReason } = step.context;
  if (ending !== null || endReason !== null) return;
  step.change({ ending: reason });
  if (step.context.reply === null) {
    startReply(step, null, false);
  }
  const { generation, after } = step.context.reply ?? { generation: null, after: LISTEN };
  if (generation !== null) step.order({ type: 'model.cancel', generation: generation.number });
  step.stopTimer('model');
  if (after.type === 'transfer') takeBack(step, after, 'failure');
  dropKeys(step, CUTS.failure);
  changeReply(step, { generation: null, asking: false, after: rescue(step) });
  keepFloor(step);
  say(step, apologyOf(step.context.agent));
}

/** What is said when the call cannot go on. */
export function apologyOf({ language, on_provider_failure }: AgentConfiguration): string {
  return on_provider_failure?.message ?? spokenLanguage(language).apology;
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

import type { CallCommand } from '../../../engine/core/command.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import { RuleStep } from '../../../engine/core/rule-step.ts';
import type { FollowUp } from '../../../engine/core/state/playout-slice.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentOf, CALL_PARAMETERS } from './simulate.ts';

/** What `hang_up` leaves to be done after its words. */
export const GOODBYE: FollowUp = {
  type: 'end',
  reason: 'agent_hangup',
  result: { call: { id: 'bye', name: 'hang_up' }, sequence: 0, startUs: 0 },
};

const NOTHING: CallEvent = { type: 'call.offered' };

/** One action at work in a call that was answered at 0; `atMs` is now, of the engine's time and of the user's audio. */
export function stepOf(changed: Partial<CallContext> = {}, atMs = 0, event: CallEvent = NOTHING): RuleStep {
  const context = { ...initialContext(agentOf({}), CALL_PARAMETERS), answeredUs: 0, ...changed };
  return new RuleStep(context, event, { atUs: atMs * 1000, audioEpochUs: 0, audioMs: atMs });
}

/** What was ordered, without what is only logged. */
export function ordered(step: RuleStep): readonly CallCommand[] {
  return step.commands.filter(({ type }) => type !== 'log');
}

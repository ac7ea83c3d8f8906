import type { SipResponse } from '../message/sip-message.ts';
import type { ServerInput, ServerOutput, StateChange } from './state-machine.ts';
import { TRANSACTION_TIMEOUT_MS } from './timer-values.ts';

/** RFC 3261 §17.2.2 (state diagram 8). */
export type ServerNonInviteState =
  | { readonly name: 'trying'; readonly reliable: boolean }
  | { readonly name: 'proceeding'; readonly reliable: boolean; readonly provisional: SipResponse }
  | { readonly name: 'completed'; readonly final: SipResponse }
  | { readonly name: 'terminated' };

type ServerNonInviteStep = StateChange<ServerNonInviteState, ServerOutput>;

const TERMINATED: ServerNonInviteState = { name: 'terminated' };

export function startServerNonInvite(reliable: boolean): ServerNonInviteStep {
  return [{ name: 'trying', reliable }, []];
}

export function stepServerNonInvite(state: ServerNonInviteState, input: ServerInput): ServerNonInviteStep {
  switch (state.name) {
    case 'trying':
      return input.type === 'respond' ? onRespond(state.reliable, input.response) : [state, []];
    case 'proceeding':
      return inProceeding(state, input);
    case 'completed':
      return inCompleted(state, input);
    case 'terminated':
      return [state, []];
  }
}

function inProceeding(
  state: Extract<ServerNonInviteState, { name: 'proceeding' }>,
  input: ServerInput,
): ServerNonInviteStep {
  if (input.type === 'respond') return onRespond(state.reliable, input.response);
  if (input.type === 'repeated') return [state, [{ type: 'send_response', response: state.provisional }]];
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  return [state, []];
}

function inCompleted(
  state: Extract<ServerNonInviteState, { name: 'completed' }>,
  input: ServerInput,
): ServerNonInviteStep {
  if (input.type === 'repeated') return [state, [{ type: 'send_response', response: state.final }]];
  if (input.type === 'timer') return input.timer === 'J' ? [TERMINATED, []] : [state, []];
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  return [state, []];
}

function onRespond(reliable: boolean, response: SipResponse): ServerNonInviteStep {
  const send: ServerOutput = { type: 'send_response', response };
  if (response.status < 200) return [{ name: 'proceeding', reliable, provisional: response }, [send]];
  if (reliable) return [TERMINATED, [send]];
  return [
    { name: 'completed', final: response },
    [send, { type: 'set_timer', timer: 'J', afterMs: TRANSACTION_TIMEOUT_MS }],
  ];
}

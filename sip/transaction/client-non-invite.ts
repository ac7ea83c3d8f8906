import type { SipResponse } from '../message/sip-message.ts';
import type { ClientInput, ClientOutput, StateChange } from './state-machine.ts';
import { T1_MS, T2_MS, T4_MS, TRANSACTION_TIMEOUT_MS } from './timer-values.ts';

/** RFC 3261 §17.1.2 (state diagram 6). */
export type ClientNonInviteState =
  | { readonly name: 'trying'; readonly reliable: boolean; readonly resendAfterMs: number }
  | { readonly name: 'proceeding'; readonly reliable: boolean }
  | { readonly name: 'completed' }
  | { readonly name: 'terminated' };

type ClientNonInviteStep = StateChange<ClientNonInviteState, ClientOutput>;

const TERMINATED: ClientNonInviteState = { name: 'terminated' };

/** Sends the request. Over an unreliable transport, timer E repeats it. */
export function startClientNonInvite(reliable: boolean): ClientNonInviteStep {
  const outputs: ClientOutput[] = [
    { type: 'send_request' },
    { type: 'set_timer', timer: 'F', afterMs: TRANSACTION_TIMEOUT_MS },
  ];
  if (!reliable) outputs.push({ type: 'set_timer', timer: 'E', afterMs: T1_MS });
  return [{ name: 'trying', reliable, resendAfterMs: T1_MS }, outputs];
}

export function stepClientNonInvite(state: ClientNonInviteState, input: ClientInput): ClientNonInviteStep {
  switch (state.name) {
    case 'trying':
      return inTrying(state, input);
    case 'proceeding':
      return inProceeding(state, input);
    case 'completed':
      return input.type === 'timer' && input.timer === 'K' ? [TERMINATED, []] : [state, []];
    case 'terminated':
      return [state, []];
  }
}

function inTrying(state: Extract<ClientNonInviteState, { name: 'trying' }>, input: ClientInput): ClientNonInviteStep {
  if (input.type === 'response') return onResponse(state.reliable, input.response);
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  if (input.timer === 'F') return [TERMINATED, [{ type: 'fail', cause: 'timeout' }]];
  if (input.timer !== 'E') return [state, []];
  const resendAfterMs = Math.min(state.resendAfterMs * 2, T2_MS);
  return [
    { ...state, resendAfterMs },
    [{ type: 'send_request' }, { type: 'set_timer', timer: 'E', afterMs: resendAfterMs }],
  ];
}

/** After a provisional response the request is repeated every T2 until the final one or timer F. */
function inProceeding(
  state: Extract<ClientNonInviteState, { name: 'proceeding' }>,
  input: ClientInput,
): ClientNonInviteStep {
  if (input.type === 'response') return onResponse(state.reliable, input.response);
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  if (input.timer === 'F') return [TERMINATED, [{ type: 'fail', cause: 'timeout' }]];
  if (input.timer !== 'E') return [state, []];
  return [state, [{ type: 'send_request' }, { type: 'set_timer', timer: 'E', afterMs: T2_MS }]];
}

function onResponse(reliable: boolean, response: SipResponse): ClientNonInviteStep {
  const outputs: ClientOutput[] = [{ type: 'deliver', response }];
  if (response.status < 200) {
    // The running timer E keeps its value; after it fires, it is T2 (§17.1.2.2).
    return [{ name: 'proceeding', reliable }, outputs];
  }
  outputs.push({ type: 'clear_timer', timer: 'E' }, { type: 'clear_timer', timer: 'F' });
  if (reliable) return [TERMINATED, outputs];
  outputs.push({ type: 'set_timer', timer: 'K', afterMs: T4_MS });
  return [{ name: 'completed' }, outputs];
}

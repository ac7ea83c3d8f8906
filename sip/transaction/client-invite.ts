import type { SipResponse } from '../message/sip-message.ts';
import type { ClientInput, ClientOutput, StateChange } from './state-machine.ts';
import { T1_MS, TIMER_D_MS, TRANSACTION_TIMEOUT_MS } from './timer-values.ts';

/** RFC 3261 §17.1.1 (state diagram 5), with the Accepted state of RFC 6026 §7.2. */
export type ClientInviteState =
  | { readonly name: 'calling'; readonly reliable: boolean; readonly resendAfterMs: number }
  | { readonly name: 'proceeding'; readonly reliable: boolean }
  | { readonly name: 'completed' }
  | { readonly name: 'accepted' }
  | { readonly name: 'terminated' };

type ClientInviteStep = StateChange<ClientInviteState, ClientOutput>;

const TERMINATED: ClientInviteState = { name: 'terminated' };

/** Sends the INVITE. Over an unreliable transport, timer A repeats it. */
export function startClientInvite(reliable: boolean): ClientInviteStep {
  const outputs: ClientOutput[] = [
    { type: 'send_request' },
    { type: 'set_timer', timer: 'B', afterMs: TRANSACTION_TIMEOUT_MS },
  ];
  if (!reliable) outputs.push({ type: 'set_timer', timer: 'A', afterMs: T1_MS });
  return [{ name: 'calling', reliable, resendAfterMs: T1_MS }, outputs];
}

export function stepClientInvite(state: ClientInviteState, input: ClientInput): ClientInviteStep {
  switch (state.name) {
    case 'calling':
      return inCalling(state, input);
    case 'proceeding':
      return inProceeding(state, input);
    case 'completed':
      return inCompleted(state, input);
    case 'accepted':
      return inAccepted(state, input);
    case 'terminated':
      return [state, []];
  }
}

function inCalling(state: Extract<ClientInviteState, { name: 'calling' }>, input: ClientInput): ClientInviteStep {
  if (input.type === 'response') return onResponse(state.reliable, input.response);
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  if (input.timer === 'B') return [TERMINATED, [{ type: 'fail', cause: 'timeout' }]];
  if (input.timer !== 'A') return [state, []];
  const resendAfterMs = state.resendAfterMs * 2;
  return [
    { ...state, resendAfterMs },
    [{ type: 'send_request' }, { type: 'set_timer', timer: 'A', afterMs: resendAfterMs }],
  ];
}

function inProceeding(state: Extract<ClientInviteState, { name: 'proceeding' }>, input: ClientInput): ClientInviteStep {
  return input.type === 'response' ? onResponse(state.reliable, input.response) : [state, []];
}

/** A repeated final response is acknowledged again, but not delivered. */
function inCompleted(state: ClientInviteState, input: ClientInput): ClientInviteStep {
  if (input.type === 'timer') return input.timer === 'D' ? [TERMINATED, []] : [state, []];
  if (input.type === 'transport_failed') return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
  return input.response.status >= 300 ? [state, [{ type: 'send_ack', response: input.response }]] : [state, []];
}

/** Every 2xx is delivered, also repeated or from another fork: the transaction user sends the ACK (RFC 6026 §7.2). */
function inAccepted(state: ClientInviteState, input: ClientInput): ClientInviteStep {
  if (input.type === 'timer') return input.timer === 'M' ? [TERMINATED, []] : [state, []];
  if (input.type === 'transport_failed') return [state, []];
  const { status } = input.response;
  return status >= 200 && status < 300 ? [state, [{ type: 'deliver', response: input.response }]] : [state, []];
}

function onResponse(reliable: boolean, response: SipResponse): ClientInviteStep {
  const outputs: ClientOutput[] = [
    { type: 'clear_timer', timer: 'A' },
    { type: 'clear_timer', timer: 'B' },
  ];
  if (response.status < 200) {
    outputs.push({ type: 'deliver', response });
    return [{ name: 'proceeding', reliable }, outputs];
  }
  if (response.status < 300) {
    outputs.push({ type: 'deliver', response }, { type: 'set_timer', timer: 'M', afterMs: TRANSACTION_TIMEOUT_MS });
    return [{ name: 'accepted' }, outputs];
  }
  outputs.push({ type: 'send_ack', response }, { type: 'deliver', response });
  if (reliable) return [TERMINATED, outputs];
  outputs.push({ type: 'set_timer', timer: 'D', afterMs: TIMER_D_MS });
  return [{ name: 'completed' }, outputs];
}

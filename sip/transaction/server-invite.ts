import type { SipResponse } from '../message/sip-message.ts';
import type { ServerInput, ServerOutput, StateChange } from './state-machine.ts';
import { T1_MS, T2_MS, T4_MS, TRANSACTION_TIMEOUT_MS } from './timer-values.ts';

/** RFC 3261 §17.2.1 (state diagram 7), with the Accepted state of RFC 6026 §7.1. */
export type ServerInviteState =
  | { readonly name: 'proceeding'; readonly reliable: boolean; readonly provisional: SipResponse | null }
  | {
      readonly name: 'completed';
      readonly reliable: boolean;
      readonly final: SipResponse;
      readonly resendAfterMs: number;
    }
  | { readonly name: 'confirmed' }
  | { readonly name: 'accepted' }
  | { readonly name: 'terminated' };

type ServerInviteStep = StateChange<ServerInviteState, ServerOutput>;

const TERMINATED: ServerInviteState = { name: 'terminated' };

export function startServerInvite(reliable: boolean): ServerInviteStep {
  return [{ name: 'proceeding', reliable, provisional: null }, []];
}

export function stepServerInvite(state: ServerInviteState, input: ServerInput): ServerInviteStep {
  switch (state.name) {
    case 'proceeding':
      return inProceeding(state, input);
    case 'completed':
      return inCompleted(state, input);
    case 'confirmed':
      return input.type === 'timer' && input.timer === 'I' ? [TERMINATED, []] : [state, []];
    case 'accepted':
      return inAccepted(state, input);
    case 'terminated':
      return [state, []];
  }
}

function inProceeding(state: Extract<ServerInviteState, { name: 'proceeding' }>, input: ServerInput): ServerInviteStep {
  if (input.type === 'repeated') {
    return [state, state.provisional === null ? [] : [{ type: 'send_response', response: state.provisional }]];
  }
  if (input.type !== 'respond') return [state, []];
  const { response } = input;
  const outputs: ServerOutput[] = [{ type: 'send_response', response }];
  if (response.status < 200) return [{ ...state, provisional: response }, outputs];
  if (response.status < 300) {
    outputs.push({ type: 'set_timer', timer: 'L', afterMs: TRANSACTION_TIMEOUT_MS });
    return [{ name: 'accepted' }, outputs];
  }
  outputs.push({ type: 'set_timer', timer: 'H', afterMs: TRANSACTION_TIMEOUT_MS });
  if (!state.reliable) outputs.push({ type: 'set_timer', timer: 'G', afterMs: T1_MS });
  return [{ name: 'completed', reliable: state.reliable, final: response, resendAfterMs: T1_MS }, outputs];
}

function inCompleted(state: Extract<ServerInviteState, { name: 'completed' }>, input: ServerInput): ServerInviteStep {
  switch (input.type) {
    case 'repeated':
      return [state, [{ type: 'send_response', response: state.final }]];
    case 'ack':
      if (state.reliable) return [TERMINATED, []];
      return [
        { name: 'confirmed' },
        [
          { type: 'clear_timer', timer: 'G' },
          { type: 'clear_timer', timer: 'H' },
          { type: 'set_timer', timer: 'I', afterMs: T4_MS },
        ],
      ];
    case 'timer': {
      if (input.timer === 'H') return [TERMINATED, [{ type: 'fail', cause: 'timeout' }]];
      if (input.timer !== 'G') return [state, []];
      const resendAfterMs = Math.min(state.resendAfterMs * 2, T2_MS);
      return [
        { ...state, resendAfterMs },
        [
          { type: 'send_response', response: state.final },
          { type: 'set_timer', timer: 'G', afterMs: resendAfterMs },
        ],
      ];
    }
    case 'transport_failed':
      return [TERMINATED, [{ type: 'fail', cause: 'transport' }]];
    case 'respond':
      return [state, []];
  }
}

/** Absorbs repeated INVITEs. The transaction user repeats its 2xx by `respond` until the ACK (RFC 6026 §7.1). */
function inAccepted(state: ServerInviteState, input: ServerInput): ServerInviteStep {
  if (input.type === 'timer') return input.timer === 'L' ? [TERMINATED, []] : [state, []];
  if (input.type !== 'respond') return [state, []];
  const { status } = input.response;
  return status >= 200 && status < 300 ? [state, [{ type: 'send_response', response: input.response }]] : [state, []];
}

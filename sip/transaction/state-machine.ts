import type { SipResponse } from '../message/sip-message.ts';
import type { TimerName } from './timer-values.ts';

/** What every machine may ask of the layer that drives it. Setting a timer that runs replaces it. */
export type TimerOutput =
  | { readonly type: 'set_timer'; readonly timer: TimerName; readonly afterMs: number }
  | { readonly type: 'clear_timer'; readonly timer: TimerName };

/** What may happen to a client machine. */
export type ClientInput =
  | { readonly type: 'timer'; readonly timer: TimerName }
  | { readonly type: 'response'; readonly response: SipResponse }
  | { readonly type: 'transport_failed' };

/** What may happen to a server machine. */
export type ServerInput =
  /** The same request once more. */
  | { readonly type: 'repeated' }
  /** The ACK that belongs to the transaction; an INVITE's only. */
  | { readonly type: 'ack' }
  | { readonly type: 'respond'; readonly response: SipResponse }
  | { readonly type: 'timer'; readonly timer: TimerName }
  | { readonly type: 'transport_failed' };

/** What a client machine asks for (RFC 3261 §17.1). */
export type ClientOutput =
  | TimerOutput
  /** Puts the request on the wire, for the first time or again. */
  | { readonly type: 'send_request' }
  /** The ACK for a final response other than 2xx, which belongs to the transaction (§17.1.1.3). */
  | { readonly type: 'send_ack'; readonly response: SipResponse }
  | { readonly type: 'deliver'; readonly response: SipResponse }
  | { readonly type: 'fail'; readonly cause: TransactionFailure };

/** What a server machine asks for (RFC 3261 §17.2). */
export type ServerOutput =
  | TimerOutput
  | { readonly type: 'send_response'; readonly response: SipResponse }
  | { readonly type: 'fail'; readonly cause: TransactionFailure };

export type TransactionFailure = 'timeout' | 'transport';

export type Transition<State, Output> = readonly [State, readonly Output[]];

import type { SipResponse } from '../message/sip-message.ts';
import type { TransactionTimer } from './timer-values.ts';

/** Timer commands of every state machine. Setting a running timer replaces it. */
export type TimerOutput =
  | { readonly type: 'set_timer'; readonly timer: TransactionTimer; readonly afterMs: number }
  | { readonly type: 'clear_timer'; readonly timer: TransactionTimer };

/** The inputs of a client transaction. */
export type ClientInput =
  | { readonly type: 'timer'; readonly timer: TransactionTimer }
  | { readonly type: 'response'; readonly response: SipResponse }
  | { readonly type: 'transport_failed' };

/** The inputs of a server transaction. */
export type ServerInput =
  /** A retransmission of the request. */
  | { readonly type: 'repeated' }
  /** The ACK that belongs to the transaction; an INVITE's only. */
  | { readonly type: 'ack' }
  | { readonly type: 'respond'; readonly response: SipResponse }
  | { readonly type: 'timer'; readonly timer: TransactionTimer }
  | { readonly type: 'transport_failed' };

/** The outputs of a client transaction (RFC 3261 §17.1). */
export type ClientOutput =
  | TimerOutput
  /** Puts the request on the wire, for the first time or again. */
  | { readonly type: 'send_request' }
  /** The ACK for a final response other than 2xx, which belongs to the transaction (§17.1.1.3). */
  | { readonly type: 'send_ack'; readonly response: SipResponse }
  | { readonly type: 'deliver'; readonly response: SipResponse }
  | { readonly type: 'fail'; readonly cause: TransactionFailure };

/** The outputs of a server transaction (RFC 3261 §17.2). */
export type ServerOutput =
  | TimerOutput
  | { readonly type: 'send_response'; readonly response: SipResponse }
  | { readonly type: 'fail'; readonly cause: TransactionFailure };

export type TransactionFailure = 'timeout' | 'transport';

export type StateChange<State, Output> = readonly [State, readonly Output[]];

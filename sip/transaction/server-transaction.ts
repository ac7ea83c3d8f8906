import type { Clock } from '../../base/time/clock.ts';
import { serializeMessage } from '../message/serialize-message.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import { type Hops, isReliable } from '../transport/transport-address.ts';
import { RunningTimers } from './running-timers.ts';
import { startServerInvite, stepServerInvite } from './server-invite.ts';
import { startServerNonInvite, stepServerNonInvite } from './server-non-invite.ts';
import type { ServerInput, ServerOutput, StateChange, TransactionFailure } from './state-machine.ts';

/**
 * Bytes that an INVITE of an unknown source over UDP draws from us without an ACK, by our own timers: its source address may
 * be forged. Five sendings of a 200 with its 100 and 180, over 7.5 s: RFC 3261 §13.3.1.4 would send eleven over 32 s.
 */
export const UNACKNOWLEDGED_BYTES_MAX = 6_000;

export interface ServerTransactionOptions {
  readonly id: string;
  readonly request: SipRequest;
  /** The hops of its responses. */
  readonly hops: Hops;
  readonly clock: Clock;
  /** Bound of the sent messages. Beyond it, we send no retransmissions, but still answer repeated requests. */
  readonly bytesMax: number;
  readonly send: (hops: Hops, message: SipMessage, onFailed: (fault: string) => void) => void;
  /** The final response did not arrive: no ACK came, or it could not be sent. At most once. */
  readonly onFailed: (cause: TransactionFailure) => void;
  /** The last callback of the transaction. */
  readonly onEnded: () => void;
}

type Machine = (input: ServerInput) => { readonly name: string; readonly outputs: readonly ServerOutput[] };

/** One request of a peer: the machine of RFC 3261 §17.2 with its timers and its transport. */
export class ServerTransaction {
  readonly id: string;
  readonly request: SipRequest;
  readonly hops: Hops;
  readonly #options: ServerTransactionOptions;
  readonly #timers: RunningTimers;
  readonly #machine: Machine;
  #answered = false;
  #sentBytes = 0;
  #ended = false;

  constructor(options: ServerTransactionOptions) {
    this.id = options.id;
    this.request = options.request;
    this.hops = options.hops;
    this.#options = options;
    this.#timers = new RunningTimers(options.clock, (timer) => this.#step({ type: 'timer', timer }, true));
    const reliable = isReliable(options.hops[0].transport);
    this.#machine =
      options.request.method === 'INVITE'
        ? drive(startServerInvite(reliable), stepServerInvite)
        : drive(startServerNonInvite(reliable), stepServerNonInvite);
  }

  /** Whether a final response was sent. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Does nothing after a final response; `repeat` sends a response again. */
  respond(response: SipResponse): void {
    if (this.#answered) return;
    this.#answered = response.status >= 200;
    this.#step({ type: 'respond', response });
  }

  /** Sends the same response to an INVITE again: a 2xx (RFC 3261 §13.3.1.4) or a reliable provisional one (RFC 3262 §3). */
  repeat(response: SipResponse): void {
    if (this.#answered && response.status < 200) return;
    this.#step({ type: 'respond', response }, true);
  }

  receiveRepeated(): void {
    this.#step({ type: 'repeated' });
  }

  receiveAck(): void {
    this.#step({ type: 'ack' });
  }

  /** Ends the transaction at once. Calls only `onEnded`. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timers.clear();
    this.#options.onEnded();
  }

  #step(input: ServerInput, isRetransmission = false): void {
    if (this.#ended) return;
    const { name, outputs } = this.#machine(input);
    for (const output of outputs) {
      if (this.#ended) return;
      this.#carryOut(output, isRetransmission);
    }
    if (name === 'terminated') this.abandon();
  }

  #carryOut(output: ServerOutput, isRetransmission: boolean): void {
    switch (output.type) {
      case 'set_timer':
      case 'clear_timer':
        this.#timers.apply(output);
        break;
      case 'send_response':
        if (!this.#isWithinBound(output.response, isRetransmission)) break;
        this.#options.send(this.hops, output.response, () => this.#step({ type: 'transport_failed' }));
        break;
      case 'fail':
        this.#options.onFailed(output.cause);
        break;
    }
  }

  #isWithinBound(response: SipResponse, isRetransmission: boolean): boolean {
    const { bytesMax } = this.#options;
    if (bytesMax === Number.POSITIVE_INFINITY) return true;
    const bytes = serializeMessage(response).length;
    if (isRetransmission && this.#sentBytes + bytes > bytesMax) return false;
    this.#sentBytes += bytes;
    return true;
  }
}

function drive<State>(
  [first]: StateChange<State & { readonly name: string }, ServerOutput>,
  step: (
    state: State & { readonly name: string },
    input: ServerInput,
  ) => StateChange<State & { readonly name: string }, ServerOutput>,
): Machine {
  let state = first;
  return (input) => {
    const [next, outputs] = step(state, input);
    state = next;
    return { name: next.name, outputs };
  };
}

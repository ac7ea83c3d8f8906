import type { Clock } from '../../base/time/clock.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import { type Hops, isReliable } from '../transport/transport-address.ts';
import { RunningTimers } from './running-timers.ts';
import { startServerInvite, stepServerInvite } from './server-invite.ts';
import { startServerNonInvite, stepServerNonInvite } from './server-non-invite.ts';
import type { ServerInput, ServerOutput, StateChange, TransactionFailure } from './state-machine.ts';

export interface ServerTransactionOptions {
  readonly id: string;
  readonly request: SipRequest;
  /** The hops of its responses. */
  readonly hops: Hops;
  readonly clock: Clock;
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
  #ended = false;

  constructor(options: ServerTransactionOptions) {
    this.id = options.id;
    this.request = options.request;
    this.hops = options.hops;
    this.#options = options;
    this.#timers = new RunningTimers(options.clock, (timer) => this.#step({ type: 'timer', timer }));
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

  /** Does nothing after a final response; `repeatAccepted` repeats a 2xx. */
  respond(response: SipResponse): void {
    if (this.#answered) return;
    this.#answered = response.status >= 200;
    this.#step({ type: 'respond', response });
  }

  /** Sends the same 2xx to an INVITE again (RFC 3261 §13.3.1.4). */
  repeatAccepted(response: SipResponse): void {
    this.#step({ type: 'respond', response });
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

  #step(input: ServerInput): void {
    if (this.#ended) return;
    const { name, outputs } = this.#machine(input);
    for (const output of outputs) {
      if (this.#ended) return;
      this.#carryOut(output);
    }
    if (name === 'terminated') this.abandon();
  }

  #carryOut(output: ServerOutput): void {
    switch (output.type) {
      case 'set_timer':
      case 'clear_timer':
        this.#timers.apply(output);
        break;
      case 'send_response':
        this.#options.send(this.hops, output.response, () => this.#step({ type: 'transport_failed' }));
        break;
      case 'fail':
        this.#options.onFailed(output.cause);
        break;
    }
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

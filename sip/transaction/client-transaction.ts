import type { Clock } from '../../base/time/clock.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import { type Hops, hopText, isReliable, type Origin } from '../transport/transport-address.ts';
import { startClientInvite, stepClientInvite } from './client-invite.ts';
import { startClientNonInvite, stepClientNonInvite } from './client-non-invite.ts';
import { makeNon2xxAck } from './non-2xx-ack.ts';
import { RunningTimers } from './running-timers.ts';
import type { ClientInput, ClientOutput, StateChange, TransactionFailure } from './state-machine.ts';
import { TRANSACTION_TIMEOUT_MS } from './timer-values.ts';

export interface ClientTransactionOptions {
  readonly id: string;
  /** With our Via on top. */
  readonly request: SipRequest;
  readonly hops: Hops;
  readonly clock: Clock;
  readonly send: (hops: Hops, message: SipMessage, onFailed: (fault: string) => void) => void;
  /** `origin`: the source of the response. */
  readonly onResponse: (response: SipResponse, origin: Origin) => void;
  /** No final response will come. At most once, and never after one. `detail`: why, for people. */
  readonly onFailed: (cause: TransactionFailure, detail: string) => void;
  /** The last callback of the transaction. */
  readonly onEnded: () => void;
  /** A request that could not be sent counts as sent: its timers end it, as if no response came. */
  readonly isConcealed?: boolean;
}

type Machine = (input: ClientInput) => { readonly name: string; readonly outputs: readonly ClientOutput[] };

/** One outbound request: the state machine of RFC 3261 §17.1 with its timers and its transport. */
export class ClientTransaction {
  readonly id: string;
  readonly request: SipRequest;
  readonly hops: Hops;
  readonly #options: ClientTransactionOptions;
  readonly #timers: RunningTimers;
  readonly #machine: Machine;
  /** The origin of the current response. */
  #origin: Origin | null = null;
  #ended = false;
  #transportFault = '';

  constructor(options: ClientTransactionOptions) {
    this.id = options.id;
    this.request = options.request;
    this.hops = options.hops;
    this.#options = options;
    this.#timers = new RunningTimers(options.clock, (timer) => this.#step({ type: 'timer', timer }));
    const reliable = isReliable(options.hops[0].transport);
    const invite = options.request.method === 'INVITE';
    const { machine, outputs } = invite
      ? drive(startClientInvite(reliable), stepClientInvite)
      : drive(startClientNonInvite(reliable), stepClientNonInvite);
    this.#machine = machine;
    this.#initialOutputs = outputs;
  }

  #initialOutputs: readonly ClientOutput[];

  /** Sends the request. Separate from the constructor, so that the owner can handle a failure at once. */
  start(): void {
    const outputs = this.#initialOutputs;
    this.#initialOutputs = [];
    this.#carryOut(outputs);
  }

  receive(response: SipResponse, origin: Origin): void {
    this.#origin = origin;
    this.#step({ type: 'response', response });
  }

  /** Ends the transaction at once. Calls only `onEnded`. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timers.clear();
    this.#options.onEnded();
  }

  #step(input: ClientInput): void {
    if (this.#ended) return;
    const { name, outputs } = this.#machine(input);
    this.#carryOut(outputs);
    if (name === 'terminated') this.abandon();
  }

  #timeoutText(): string {
    const timer = this.request.method === 'INVITE' ? 'B' : 'F';
    return `no response within ${TRANSACTION_TIMEOUT_MS / 1_000} s (timer ${timer}): ${hopText(this.hops[0])}`;
  }

  #carryOut(outputs: readonly ClientOutput[]): void {
    const onFailed = (fault: string) => {
      this.#transportFault = fault;
      this.#step({ type: 'transport_failed' });
    };
    for (const output of outputs) {
      if (this.#ended) return;
      switch (output.type) {
        case 'set_timer':
        case 'clear_timer':
          this.#timers.apply(output);
          break;
        case 'send_request':
          this.#options.send(this.hops, this.request, this.#options.isConcealed ? () => undefined : onFailed);
          break;
        case 'send_ack':
          this.#options.send(this.hops, makeNon2xxAck(this.request, output.response), onFailed);
          break;
        case 'deliver':
          if (this.#origin !== null) this.#options.onResponse(output.response, this.#origin);
          break;
        case 'fail':
          this.#options.onFailed(output.cause, output.cause === 'timeout' ? this.#timeoutText() : this.#transportFault);
          break;
      }
    }
  }
}

function drive<State extends { readonly name: string }>(
  [first, outputs]: StateChange<State, ClientOutput>,
  step: (state: State, input: ClientInput) => StateChange<State, ClientOutput>,
): { readonly machine: Machine; readonly outputs: readonly ClientOutput[] } {
  let state = first;
  const machine: Machine = (input) => {
    const [next, produced] = step(state, input);
    state = next;
    return { name: next.name, outputs: produced };
  };
  return { machine, outputs };
}

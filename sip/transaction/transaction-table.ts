import type { Clock } from '../../base/time/clock.ts';
import { getHeader } from '../message/headers.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import { parseVias } from '../message/via.ts';
import type { Hops } from '../transport/transport-address.ts';
import { ActiveCallIds } from './active-call-ids.ts';
import { ClientTransaction, type ClientTransactionOptions } from './client-transaction.ts';
import { ServerTransaction, type ServerTransactionOptions } from './server-transaction.ts';
import { clientKey, mergeKey, responseKey, serverKey } from './transaction-key.ts';

export interface TransactionTableOptions {
  readonly clock: Clock;
  /** Client and server transactions together. At the bound `create…` returns null. */
  readonly transactionsMax: number;
  readonly newId: () => string;
  readonly send: (hops: Hops, message: SipMessage, onFailed: (fault: string) => void) => void;
}

type ClientHandlers = Pick<ClientTransactionOptions, 'onResponse' | 'onFailed' | 'isConcealed'>;
type ServerHandlers = Pick<ServerTransactionOptions, 'onFailed' | 'onEnded'> &
  Partial<Pick<ServerTransactionOptions, 'bytesMax'>>;

/** All transactions, and the matching of messages to them. */
export class TransactionTable {
  readonly #options: TransactionTableOptions;
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #clients = new Map<string, ClientTransaction>();
  /** The first server transaction of each request, by merge key (RFC 3261 §8.2.2.2). */
  readonly #firstByMergeKey = new Map<string, ServerTransaction>();
  readonly #callIds = new ActiveCallIds();

  constructor(options: TransactionTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#servers.size + this.#clients.size;
  }

  get isFull(): boolean {
    return this.size >= this.#options.transactionsMax;
  }

  /** The share of the transactions in use, 0–1. */
  get load(): number {
    return this.size / this.#options.transactionsMax;
  }

  /** Whether a transaction has this Call-ID. */
  hasCall(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  /** @param method replaces the request's method; see `serverKey`. */
  findServer(request: SipRequest, method?: string): ServerTransaction | null {
    const key = serverKey(request, method);
    return (key === null ? undefined : this.#servers.get(key)) ?? null;
  }

  findClient(response: SipResponse): ClientTransaction | null {
    const key = responseKey(response);
    return (key === null ? undefined : this.#clients.get(key)) ?? null;
  }

  /** Whether a request without a To tag arrived by another path before. */
  isMerged(request: SipRequest): boolean {
    return this.#firstByMergeKey.has(mergeKey(request));
  }

  /** null at the bound, or if the request has no readable Via. */
  createServer(request: SipRequest, hops: Hops, handlers: ServerHandlers): ServerTransaction | null {
    const key = serverKey(request);
    if (key === null || this.isFull) return null;
    const merge = mergeKey(request);
    const callId = callIdOf(request);
    const transaction: ServerTransaction = new ServerTransaction({
      ...this.#common(),
      request,
      hops,
      bytesMax: handlers.bytesMax ?? Number.POSITIVE_INFINITY,
      onFailed: handlers.onFailed,
      onEnded: () => {
        this.#servers.delete(key);
        this.#callIds.remove(callId);
        if (this.#firstByMergeKey.get(merge) === transaction) this.#firstByMergeKey.delete(merge);
        handlers.onEnded();
      },
    });
    this.#servers.set(key, transaction);
    this.#callIds.add(callId);
    if (!this.#firstByMergeKey.has(merge)) this.#firstByMergeKey.set(merge, transaction);
    return transaction;
  }

  /** Creates the transaction and sends the request, which has our Via on top. null at the bound. */
  createClient(request: SipRequest, hops: Hops, handlers: ClientHandlers): ClientTransaction | null {
    const vias = parseVias(request.headers);
    if (vias === null || this.isFull) return null;
    const key = clientKey(vias[0], request.method);
    const callId = callIdOf(request);
    const transaction = new ClientTransaction({
      ...this.#common(),
      ...handlers,
      request,
      hops,
      onEnded: () => {
        this.#clients.delete(key);
        this.#callIds.remove(callId);
      },
    });
    this.#clients.set(key, transaction);
    this.#callIds.add(callId);
    transaction.start();
    return transaction;
  }

  /** Ends all transactions without a message. */
  clear(): void {
    for (const transaction of [...this.#servers.values(), ...this.#clients.values()]) transaction.abandon();
  }

  #common(): Pick<ClientTransactionOptions, 'id' | 'clock' | 'send'> {
    return { id: this.#options.newId(), clock: this.#options.clock, send: this.#options.send };
  }
}

function callIdOf(request: SipRequest): string {
  return getHeader(request.headers, 'Call-ID') ?? '';
}

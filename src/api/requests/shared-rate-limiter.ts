import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { RateLimits } from '../../configuration/configuration.ts';
import { limitHeaders, limitWindows, type RateLimiter, type RateLimitResult, type Window } from './rate-limiter.ts';

/**
 * A node takes requests in advance, this share of the limit at a time: a query for every twelve requests by default. What a node has
 * taken and does not use is lost to the others, at most this share for each node.
 */
const BATCH_SHARE = 1 / 50;
/** A request waits this long for the database, ms. Then the limit counts on this node alone for a time. */
const WAIT_MS = 500;
const ALONE_MS = 1_000;

/** Counts over all nodes: adds requests to the current window of a name. */
export interface SharedRequests {
  takeRequests(
    name: string,
    windowMs: number,
    requests: number,
  ): Promise<{ readonly taken: number; readonly endsMs: number; readonly leftMs: number }>;
}

export interface SharedRateLimiterOptions {
  readonly limits: RateLimits;
  readonly shared: SharedRequests;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly onFault: (name: string, error: unknown) => void;
}

/** What this node has of one window of a key. */
interface Lease {
  readonly window: Window;
  readonly name: string;
  /** Identifies the window by the clock of the database, ms; 0: none is known. */
  endsMs: number;
  /** End of the window by the clock of this node, ms. */
  untilMs: number;
  /** Requests that are left to this node. */
  left: number;
  /** Taken by all nodes, as of the last query. */
  taken: number;
  /** Requests that this node has taken without a query, because the database did not answer. */
  credit: number;
  /** The limit is reached until the end of the window. */
  isFull: boolean;
  /** Requests that wait until some are left. */
  waiting: number;
  query: Promise<void> | null;
}

/**
 * Counts the requests of each key over all nodes, in fixed windows by the clock of the database. Nodes together never exceed a limit
 * while the database answers. A request that has one left costs no query; the next ones are taken while some are left.
 *
 * Without the database a node goes on with what the others had left of the limit when it last knew.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #options: SharedRateLimiterOptions;
  readonly #windows: readonly Window[];
  readonly #leases = new Map<string, readonly Lease[]>();
  /** No query before: the last one failed. */
  #aloneUntilMs = 0;

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
    this.#windows = limitWindows(options.limits);
  }

  count(keyId: string): RateLimitResult | Promise<RateLimitResult> {
    const leases = this.#leasesOf(keyId);
    return leases.some((lease) => this.#isEmpty(lease)) ? this.#takeRefilled(leases) : this.#take(leases);
  }

  async #takeRefilled(leases: readonly Lease[]): Promise<RateLimitResult> {
    for (const lease of leases) lease.waiting += 1;
    for (;;) {
      // Requests that waited together may have used up what came. Nothing runs between the last look and `#take`.
      const empty = leases.filter((lease) => this.#isEmpty(lease));
      if (empty.length === 0) break;
      await Promise.all(empty.map((lease) => this.#fill(lease)));
    }
    for (const lease of leases) lease.waiting -= 1;
    return this.#take(leases);
  }

  #take(leases: readonly Lease[]): RateLimitResult {
    const full = leases.filter(({ left }) => left === 0);
    if (full.length === 0) for (const lease of leases) this.#use(lease);
    const nowMs = this.#options.clock.wallMs();
    const waitMs = Math.max(...full.map(({ untilMs }) => untilMs - nowMs));
    return {
      headers: limitHeaders(leases.map(({ window, ...lease }) => ({ ...window, remaining: remaining(window, lease) }))),
      retryAfterSeconds: full.length === 0 ? null : Math.max(1, Math.ceil(waitMs / 1_000)),
    };
  }

  #use(lease: Lease): void {
    lease.left -= 1;
    const isLow = lease.left < Math.floor(batchOf(lease) / 2);
    if (isLow && !lease.isFull && !this.#isAlone()) void this.#query(lease);
  }

  #leasesOf(keyId: string): readonly Lease[] {
    const known = this.#leases.get(keyId);
    if (known !== undefined) return known;
    const none = { endsMs: 0, untilMs: 0, left: 0, taken: 0, credit: 0, isFull: false, waiting: 0, query: null };
    const leases = this.#windows.map((window) => ({ window, name: `key ${keyId} ${window.unit}`, ...none }));
    this.#leases.set(keyId, leases);
    return leases;
  }

  #isEmpty(lease: Lease): boolean {
    if (this.#options.clock.wallMs() >= lease.untilMs) {
      Object.assign(lease, { left: 0, credit: 0, isFull: false });
    }
    return lease.left === 0 && !lease.isFull;
  }

  #isAlone(): boolean {
    return this.#options.clock.wallMs() < this.#aloneUntilMs;
  }

  /** Afterwards requests are left, or the limit is reached. Never rejects. */
  async #fill(lease: Lease): Promise<void> {
    if (!this.#isAlone()) {
      const isDone = await withTimeout(
        this.#query(lease).then(() => true),
        WAIT_MS,
        () => false,
        this.#options.clock,
      );
      if (!isDone) this.#fail(lease, new Error(`no answer within ${WAIT_MS} ms`));
    }
    if (this.#isAlone() && this.#isEmpty(lease)) this.#takeOnCredit(lease);
  }

  /** One query at a time. Never rejects. */
  #query(lease: Lease): Promise<void> {
    lease.query ??= this.#refill(lease)
      .catch((error: unknown) => this.#fail(lease, error))
      .finally(() => {
        lease.query = null;
      });
    return lease.query;
  }

  async #refill(lease: Lease): Promise<void> {
    const { clock, shared } = this.#options;
    const { credit, window } = lease;
    // Those that wait together are served by one query.
    const wanted = Math.max(batchOf(lease), lease.waiting);
    const askedMs = clock.wallMs();
    const { endsMs, leftMs, taken } = await shared.takeRequests(lease.name, window.lengthMs, wanted + credit);
    const granted = Math.min(wanted, Math.max(0, window.limit - (taken - wanted)));
    const isSame = endsMs === lease.endsMs && askedMs < lease.untilMs;
    lease.left = (isSame ? lease.left : 0) + granted;
    lease.isFull = granted < wanted;
    lease.credit = Math.max(0, lease.credit - credit);
    lease.taken = taken;
    lease.endsMs = endsMs;
    lease.untilMs = askedMs + leftMs;
  }

  #fail(lease: Lease, error: unknown): void {
    if (!this.#isAlone()) this.#options.onFault(lease.name, error);
    this.#aloneUntilMs = this.#options.clock.wallMs() + ALONE_MS;
  }

  #takeOnCredit(lease: Lease): void {
    const { window } = lease;
    const nowMs = this.#options.clock.wallMs();
    if (nowMs >= lease.untilMs) {
      const endsMs = (Math.floor(nowMs / window.lengthMs) + 1) * window.lengthMs;
      Object.assign(lease, { endsMs: 0, untilMs: endsMs, taken: 0, credit: 0 });
    }
    const granted = Math.min(batchOf(lease), Math.max(0, window.limit - lease.taken - lease.credit));
    lease.credit += granted;
    lease.left += granted;
    lease.isFull = granted === 0;
  }
}

function batchOf({ window }: Lease): number {
  return Math.max(1, Math.floor(window.limit * BATCH_SHARE));
}

function remaining(window: Window, { credit, left, taken }: Pick<Lease, 'credit' | 'left' | 'taken'>): number {
  return Math.max(0, window.limit - taken - credit) + left;
}

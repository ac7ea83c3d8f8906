import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { NodeRepository } from '../storage/cluster/node-repository.ts';

/** Lease duration. A node without a valid lease counts as dead and its calls are closed. Longer than a database restart. */
export const LEASE_MS = 15_000;
/** Lease duration of a node that sees no other: it keeps its calls through an outage of the database, but not for ever. */
export const LONE_LEASE_MS = 120_000;
/**
 * A node that could not renew its lease ends its calls this long before the lease expires, ms: their BYEs are sent, and the clocks of
 * the node and of the database may run apart, before another node may close the calls.
 */
export const FENCE_MARGIN_MS = 3_000;
/** Renewal interval of the lease. */
export const BEAT_MS = 3_000;
/** Interval after a failed renewal. With the timeouts of the lease's connection three tries fit into a lease. */
const RETRY_MS = 1_000;
/** Orphaned calls closed simultaneously: calls of this node need database connections, too. */
const CLOSED_AT_ONCE = 20;

export interface NodeLeaseOptions {
  readonly nodeId: string;
  readonly nodes: Pick<NodeRepository, 'renew' | 'lead' | 'resign' | 'leave' | 'hasOthers' | 'orphanedCalls'>;
  /** Continues while the process is stopped. Afterwards its timers fire before other work. */
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Closes a call of a dead node. Several nodes may do so for the same call. */
  readonly onLost: (call: CallRecord) => Promise<void>;
  /** Called after each renewal unless the last one still runs, for calls without a node, such as expired staged calls. */
  readonly onBeat: () => Promise<void>;
  /** Called when this node becomes the leader of the background work. */
  readonly onLead: () => void;
  /** Called `FENCE_MARGIN_MS` before the lease expires: others may close the calls of this node soon. */
  readonly onExpiring: () => void;
  /** Called when the lease is valid again: others may have closed calls of this node. Called again after later renewals until it succeeds. */
  readonly onRegained: () => Promise<void>;
}

/**
 * Renews the lease of this node, takes over the background work if it has no leader, and closes the calls of dead nodes. After a
 * failed renewal a node closes no calls of others for one whole lease: after a database outage all nodes are late.
 *
 * The node counts its lease from before the query, the database from within it: by the node's clock it expires first. The lease of a
 * node that sees no other is longer; a node that starts then waits for its end, too.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #cancelTimer = (): void => {};
  #cancelFence = (): void => {};
  #beating: Promise<void> = Promise.resolve();
  /** `onBeat` in progress. null: none. */
  #duties: Promise<void> | null = null;
  /** Adoption of orphaned calls in progress. null: none. */
  #adoption: Promise<void> | null = null;
  /** `onRegained` in progress. null: none. */
  #regaining: Promise<void> | null = null;
  #stopped = false;
  /** Leads only while there is no other node. */
  #hasResigned = false;
  /** Engine time until which this node is certainly the leader, µs. */
  #leadsUntilUs = Number.NEGATIVE_INFINITY;
  /** Engine time until which calls may run on this node, µs. */
  #servesUntilUs = Number.NEGATIVE_INFINITY;
  /** The lease had expired, and no `onRegained` that began since has succeeded or is in progress. */
  #hadExpired = false;
  /** No other node had a lease at the last renewal. */
  #isAlone = false;
  /** Since when no renewal has failed, µs. */
  #steadySinceUs: number;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    this.#steadySinceUs = options.clock.nowUs();
  }

  /** Resolves when the first lease is stored. Rejects if the database refuses it. */
  async start(): Promise<void> {
    await this.#renew();
    await this.#takeLead();
    this.#beatAfter(BEAT_MS);
  }

  get leads(): boolean {
    return this.#options.clock.nowUs() < this.#leadsUntilUs;
  }

  /** Whether calls may run on this node. */
  get holds(): boolean {
    return this.#options.clock.nowUs() < this.#servesUntilUs;
  }

  /** Whether no other node had a lease at the last renewal, or was seen since. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** Another node has sent a message. */
  sawOther(): void {
    this.#isAlone = false;
  }

  /** Leaves the lead to another node, if there is one, while calls go on here. Never rejects. */
  async resign(): Promise<void> {
    this.#hasResigned = true;
    // A beat in progress may take the lead.
    await this.#beating;
    if (this.#isAlone) return;
    this.#leadsUntilUs = Number.NEGATIVE_INFINITY;
    await this.#options.nodes.resign(this.#options.nodeId).catch(() => {});
  }

  /** Releases the lease, so that other nodes take over at once. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#cancelFence();
    await this.#beating;
    await Promise.all([this.#duties, this.#adoption, this.#regaining]);
    this.#leadsUntilUs = Number.NEGATIVE_INFINITY;
    await this.#options.nodes.leave(this.#options.nodeId).catch(() => {});
  }

  #beatAfter(delayMs: number): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(delayMs, () => {
      this.#beating = this.#beat().then((succeeded) => this.#beatAfter(succeeded ? BEAT_MS : RETRY_MS));
    });
  }

  /** Never rejects. */
  async #beat(): Promise<boolean> {
    const { clock, log } = this.#options;
    try {
      await this.#renew();
      await this.#takeLead();
      // Not awaited: closing the calls of a dead node may take longer than the own lease.
      this.#duties ??= this.#runDuties().finally(() => {
        this.#duties = null;
      });
      this.#adoption ??= this.#adoptOrphans().finally(() => {
        this.#adoption = null;
      });
      return true;
    } catch (error) {
      this.#steadySinceUs = clock.nowUs();
      log.warn({ err: error }, 'node lease renewal failed');
      // Calls that were being set up when the lease expired have begun since.
      if (!this.holds) this.#options.onExpiring();
      return false;
    }
  }

  async #renew(): Promise<void> {
    const { clock, log, nodeId, nodes } = this.#options;
    const isFirst = this.#servesUntilUs === Number.NEGATIVE_INFINITY;
    this.#isAlone = !(await nodes.hasOthers(nodeId));
    const leaseMs = this.#isAlone ? LONE_LEASE_MS : LEASE_MS;
    const servesUntilUs = clock.nowUs() + (leaseMs - FENCE_MARGIN_MS) * 1_000;
    // A shorter lease may be stored although its answer is lost.
    if (servesUntilUs < this.#servesUntilUs) this.#serveUntil(servesUntilUs);
    const wasValid = await nodes.renew(nodeId, leaseMs);
    this.#serveUntil(servesUntilUs);
    if (!wasValid && !isFirst) {
      this.#steadySinceUs = clock.nowUs();
      this.#hadExpired = true;
      log.warn({}, 'node lease regained');
    }
    // Not awaited: the database of `onRegained` may be slow while the lease's own connection works again.
    if (this.#hadExpired)
      this.#regaining ??= this.#regain().finally(() => {
        this.#regaining = null;
      });
  }

  /** Never rejects. */
  async #regain(): Promise<void> {
    const { log, onRegained } = this.#options;
    this.#hadExpired = false;
    try {
      await onRegained();
    } catch (error) {
      this.#hadExpired = true;
      log.warn({ err: error }, 'adopted call query failed');
    }
  }

  #serveUntil(untilUs: number): void {
    const { clock } = this.#options;
    this.#servesUntilUs = untilUs;
    this.#cancelFence();
    if (!this.#stopped) this.#cancelFence = clock.after((untilUs - clock.nowUs()) / 1_000, () => this.#expire());
  }

  #expire(): void {
    this.#options.log.error({}, 'node lease expired');
    this.#options.onExpiring();
  }

  /** Never rejects. */
  async #runDuties(): Promise<void> {
    const { log, onBeat } = this.#options;
    await onBeat().catch((error: unknown) => log.warn({ err: error }, 'node duties failed'));
  }

  /** Never rejects. A call that cannot be closed delays no other: the next beat finds it again. */
  async #adoptOrphans(): Promise<void> {
    const { clock, log, nodes, onLost } = this.#options;
    if (clock.nowUs() - this.#steadySinceUs < LEASE_MS * 1_000) return;
    const orphaned = await nodes.orphanedCalls().catch((error: unknown) => {
      this.#steadySinceUs = clock.nowUs();
      log.warn({ err: error }, 'orphaned call query failed');
      return [];
    });
    for (let from = 0; from < orphaned.length && !this.#stopped; from += CLOSED_AT_ONCE) {
      const closed = orphaned.slice(from, from + CLOSED_AT_ONCE).map((call) =>
        onLost(call).catch((error: unknown) => {
          log.warn({ err: error, call_id: call.id }, 'orphaned call adoption failed');
        }),
      );
      await Promise.all(closed);
    }
  }

  async #takeLead(): Promise<void> {
    if (this.#hasResigned && !this.#isAlone) return;
    const { clock, nodeId, nodes, onLead } = this.#options;
    // Measured from before the query, so that it ends here no later than in the database.
    const askedUs = clock.nowUs();
    const wasLeader = this.leads;
    if (!(await nodes.lead(nodeId, LEASE_MS))) return;
    // Resigned during the query: `resign` waits for this beat, and then ends the leader's lease.
    if (this.#hasResigned && !this.#isAlone) return;
    this.#leadsUntilUs = askedUs + LEASE_MS * 1_000;
    if (!wasLeader) onLead();
  }
}

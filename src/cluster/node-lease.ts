import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { NodeRepository } from '../storage/cluster/node-repository.ts';

/** Lease duration. A node without a valid lease counts as dead and its calls are closed. Longer than a database restart. */
export const LEASE_MS = 15_000;
/** Renewal interval of the lease: four renewals may fail. */
const BEAT_MS = 3_000;
/** Orphaned calls closed simultaneously: calls of this node need database connections, too. */
const CLOSED_AT_ONCE = 20;

export interface NodeLeaseOptions {
  readonly nodeId: string;
  readonly nodes: Pick<NodeRepository, 'renew' | 'lead' | 'leave' | 'lostCalls'>;
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly log: Pick<Log, 'warn'>;
  /** Closes a call of a dead node. Several nodes may do so for the same call. */
  readonly onLost: (call: CallRecord) => Promise<void>;
  /** Called after each renewal, for calls without a node, such as expired staged calls. */
  readonly onBeat: () => Promise<void>;
  /** Called when this node becomes the leader of the background work. */
  readonly onLead: () => void;
}

/**
 * Renews the lease of this node, takes over the background work if it has no leader, and closes the calls of dead nodes. After a
 * failed renewal a node closes no calls of others for one whole lease: after a database outage all nodes are late.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #cancelTimer = (): void => {};
  #beating: Promise<void> = Promise.resolve();
  /** Adoption of orphaned calls in progress. null: none. */
  #adoption: Promise<void> | null = null;
  #stopped = false;
  /** Engine time until which this node is certainly the leader, µs. */
  #leadsUntilUs = Number.NEGATIVE_INFINITY;
  /** Since when no renewal has failed, µs. */
  #steadySinceUs: number;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    this.#steadySinceUs = options.clock.nowUs();
  }

  /** Resolves when the first lease is stored. Rejects if the database refuses it. */
  async start(): Promise<void> {
    const { nodeId, nodes } = this.#options;
    await nodes.renew(nodeId, LEASE_MS);
    await this.#takeLead();
    this.#beatLater();
  }

  get leads(): boolean {
    return this.#options.clock.nowUs() < this.#leadsUntilUs;
  }

  /** Releases the lease, so that other nodes take over at once. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#beating;
    await this.#adoption;
    this.#leadsUntilUs = Number.NEGATIVE_INFINITY;
    await this.#options.nodes.leave(this.#options.nodeId).catch(() => {});
  }

  #beatLater(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(BEAT_MS, () => {
      this.#beating = this.#beat().then(() => this.#beatLater());
    });
  }

  /** Never rejects. */
  async #beat(): Promise<void> {
    const { clock, log, nodeId, nodes } = this.#options;
    try {
      await nodes.renew(nodeId, LEASE_MS);
      await this.#takeLead();
      // Not awaited: closing the calls of a dead node may take longer than the own lease.
      this.#adoption ??= this.#look().finally(() => {
        this.#adoption = null;
      });
    } catch (error) {
      this.#steadySinceUs = clock.nowUs();
      log.warn({ err: error }, 'node lease renewal failed');
    }
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { clock, log, nodes, onBeat, onLost } = this.#options;
    try {
      await onBeat();
      if (clock.nowUs() - this.#steadySinceUs < LEASE_MS * 1_000) return;
      const lost = await nodes.lostCalls();
      for (let from = 0; from < lost.length && !this.#stopped; from += CLOSED_AT_ONCE) {
        await Promise.all(lost.slice(from, from + CLOSED_AT_ONCE).map(onLost));
      }
    } catch (error) {
      this.#steadySinceUs = clock.nowUs();
      log.warn({ err: error }, 'orphaned call adoption failed');
    }
  }

  async #takeLead(): Promise<void> {
    const { clock, nodeId, nodes, onLead } = this.#options;
    // Measured from before the query, so that it ends here no later than in the database.
    const askedUs = clock.nowUs();
    const wasLeader = this.leads;
    if (!(await nodes.lead(nodeId, LEASE_MS))) return;
    this.#leadsUntilUs = askedUs + LEASE_MS * 1_000;
    if (!wasLeader) onLead();
  }
}

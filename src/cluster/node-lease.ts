import type { Logger } from 'pino';
import type { Clock } from '../../base/time/clock.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { NodeRepository } from '../storage/cluster/node-repository.ts';

/** A node that says nothing for this long counts as dead, and its calls are closed. A database that restarts takes less. */
export const LEASE_MS = 15_000;
/** From one word to the next: four may be lost. */
const BEAT_MS = 3_000;
/** Calls of a dead node that are closed at once: the connections of the database are this node's own calls' too. */
const CLOSED_AT_ONCE = 20;

export interface NodeLeaseOptions {
  readonly nodeId: string;
  readonly nodes: Pick<NodeRepository, 'renew' | 'lead' | 'leave' | 'lostCalls'>;
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Closes the call of a dead node, soon; more than one node may be asked to. */
  readonly onLost: (call: CallRecord) => Promise<void>;
  /** Each time that it was renewed: what belongs to no node is looked after, such as staged calls. */
  readonly onBeat: () => Promise<void>;
  /** The background work is this node's from now on. */
  readonly onLead: () => void;
}

/**
 * Says again and again that this node lives, takes the background work where nobody has it, and closes the calls of nodes that
 * say nothing any more. A node that could not speak itself judges nobody until it has spoken for a whole lease: after a
 * database was away, everybody is late.
 */
export class NodeLease {
  readonly #options: NodeLeaseOptions;
  #cancelTimer = (): void => {};
  #beating: Promise<void> = Promise.resolve();
  /** What is looked after beside the beats; null while nothing is. */
  #looking: Promise<void> | null = null;
  #stopped = false;
  /** Until when the background work is certainly ours, in engine time; µs. */
  #leadsUntilUs = Number.NEGATIVE_INFINITY;
  /** Since when no beat has failed, µs. */
  #steadySinceUs: number;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    this.#steadySinceUs = options.clock.nowUs();
  }

  /** Resolves once the first lease stands; rejects where the database does not take it. */
  async start(): Promise<void> {
    const { nodeId, nodes } = this.#options;
    await nodes.renew(nodeId, LEASE_MS);
    await this.#takeLead();
    this.#beatLater();
  }

  get leads(): boolean {
    return this.#options.clock.nowUs() < this.#leadsUntilUs;
  }

  /** Gives the lease back: others take over at once. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#beating;
    await this.#looking;
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
      // Not waited for: to close the calls of a dead node may take longer than this one's own lease.
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
    } catch (error) {
      this.#steadySinceUs = clock.nowUs();
      log.warn({ err: error }, 'this node could not renew its lease');
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
      log.warn({ err: error }, 'this node could not look after what is nobody’s');
    }
  }

  async #takeLead(): Promise<void> {
    const { clock, nodeId, nodes, onLead } = this.#options;
    // Counted from before the database was asked: it ends here no later than there.
    const askedUs = clock.nowUs();
    const led = this.leads;
    if (!(await nodes.lead(nodeId, LEASE_MS))) return;
    this.#leadsUntilUs = askedUs + LEASE_MS * 1_000;
    if (!led) onLead();
  }
}

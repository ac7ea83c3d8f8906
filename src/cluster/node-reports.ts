import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import type { NodeReportRepository, ReportKey, ReportSubject } from '../storage/cluster/node-report-repository.ts';

/** Changes within this time are stored together, ms. */
const GATHER_MS = 100;

/** What this node sees of a trunk or a provider. `body` is plain data. */
export interface OwnReport extends ReportKey {
  readonly body: unknown;
}

/** The report of another node. `body` is plain data, as that node wrote it. */
export interface NodeReport {
  readonly nodeId: string;
  readonly key: string;
  readonly body: unknown;
}

export interface NodeReportsOptions {
  readonly nodeId: string;
  readonly repository: Pick<NodeReportRepository, 'store' | 'ofOthers' | 'removeAll'>;
  /** What this node sees now. */
  readonly collect: () => readonly OwnReport[];
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Stores what this node sees for other nodes: changes soon after they happen, and all that differs at each beat of the lease. */
export class NodeReports {
  readonly #options: NodeReportsOptions;
  /** What is stored of this node, as JSON; null: not known, since an earlier process may have stored other reports. */
  #stored: Map<string, ReportKey & { readonly bodyJson: string }> | null = null;
  #isStopped = false;
  #cancelTimer: (() => void) | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: NodeReportsOptions) {
    this.#options = options;
  }

  /** Something important has changed. */
  wake(): void {
    this.#cancelTimer ??= this.#options.clock.after(GATHER_MS, () => {
      this.#cancelTimer = null;
      this.store().catch((error: unknown) => this.#options.log.warn({ err: error }, 'node report failed'));
    });
  }

  /** Stores what differs. Rejects with a `DatabaseError`; the next call stores it then. */
  store(): Promise<void> {
    const storing = this.#storing.then(() => this.#store());
    this.#storing = storing.catch(() => {});
    return storing;
  }

  /** The lease had expired: the rows may have been removed. */
  forget(): void {
    this.#storing = this.#storing.then(() => {
      this.#stored = null;
    });
  }

  /** Rejects with a `DatabaseError`. */
  async ofOthers(subject: ReportSubject, keys?: readonly string[]): Promise<readonly NodeReport[]> {
    const { nodeId, repository } = this.#options;
    const stored = await repository.ofOthers(nodeId, subject, keys);
    return stored.map(({ bodyJson, key, nodeId: by }) => ({ nodeId: by, key, body: JSON.parse(bodyJson) }));
  }

  /** Removes the reports of this node. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#storing;
    await this.#options.repository.removeAll(this.#options.nodeId).catch(() => {});
  }

  async #store(): Promise<void> {
    if (this.#isStopped) return;
    const { collect, nodeId, repository } = this.#options;
    const now = new Map<string, ReportKey & { readonly bodyJson: string }>(
      collect().map(({ body, key, subject }) => {
        return [`${subject} ${key}`, { subject, key, bodyJson: JSON.stringify(body) }] as const;
      }),
    );
    const before = this.#stored;
    const changed = [...now].flatMap(([name, row]) => (before?.get(name)?.bodyJson === row.bodyJson ? [] : [row]));
    const removed = before === null ? null : [...before].flatMap(([name, row]) => (now.has(name) ? [] : [row]));
    if (changed.length === 0 && removed?.length === 0) return;
    // Until the database has answered nothing is known: the reports may be stored although the answer is lost.
    this.#stored = null;
    await repository.store(nodeId, changed, removed);
    this.#stored = now;
  }
}

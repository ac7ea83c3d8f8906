import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import type { AuditLogRepository, AuditRecord } from '../../storage/access/audit-log-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';

/** Records of accesses are stored together, this often, ms: the most that a crash loses. */
const STORE_EVERY_MS = 1_000;
/** Records of one statement. */
const BATCH = 100;
/** Records that wait while the database does not respond; beyond it the newest are lost, which is logged. */
const WAITING_MAX = 10_000;
const SWEEP_EVERY_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface AuditLogOptions {
  readonly repository: Pick<AuditLogRepository, 'append' | 'deleteBefore'>;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly log: Pick<Log, 'error'>;
  /** Days after which records are deleted. */
  readonly days: number;
}

/** Stores the records of audited requests, and deletes old ones. No method rejects. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  #waiting: AuditRecord[] = [];
  #storing: Promise<void> | null = null;
  #cancelStore = (): void => {};
  #cancelSweep = (): void => {};
  #isTimed = false;
  #lost = 0;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#sweep();
  }

  add(record: AuditRecord): void {
    if (this.#waiting.length >= WAITING_MAX) this.#lost++;
    else this.#waiting.push(record);
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#cancelStore = this.#options.clock.after(STORE_EVERY_MS, () => {
      this.#isTimed = false;
      void this.stored();
    });
  }

  /** Resolves once all records so far were tried. Those that could not be stored are tried again. */
  async stored(): Promise<void> {
    // A run under way may have begun before the last record.
    await this.#storing;
    this.#storing ??= this.#store().finally(() => {
      this.#storing = null;
    });
    await this.#storing;
  }

  async close(): Promise<void> {
    this.#cancelSweep();
    await this.stored();
    this.#cancelStore();
  }

  async #store(): Promise<void> {
    const { log } = this.#options;
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) log.error({ records: lost }, 'audit records lost');
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, BATCH);
        await this.#append(batch);
        this.#waiting = this.#waiting.slice(batch.length);
      }
    } catch (error) {
      log.error({ err: error, waiting: this.#waiting.length }, 'audit log write failed');
    }
  }

  /** One record that the database refuses does not keep the others out. */
  async #append(records: readonly AuditRecord[]): Promise<void> {
    const { log, repository } = this.#options;
    try {
      await repository.append(records);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.fault !== 'constraint') throw error;
      const [first] = records;
      if (first !== undefined && records.length === 1) {
        const { action, keyId, targetId } = first;
        log.error({ err: error, action, key_id: keyId, target_id: targetId }, 'audit record dropped');
      } else for (const record of records) await this.#append([record]);
    }
  }

  #sweep(): void {
    const { clock, days, log, repository } = this.#options;
    this.#cancelSweep = clock.after(SWEEP_EVERY_MS, () => this.#sweep());
    repository
      .deleteBefore(clock.wallMs() - days * DAY_MS)
      .catch((error: unknown) => log.error({ err: error }, 'audit log deletion failed'));
  }
}

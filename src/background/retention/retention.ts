import type { Clock } from '../../../base/time/clock.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { CallDeletionRepository, KeptCall } from '../../storage/calls/call-deletion-repository.ts';
import { deleteCallContent } from './call-deletion.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Sweep interval: content is deleted at most one hour late. */
const SWEEP_EVERY_MS = 60 * 60 * 1_000;
/** Calls per page of a sweep. */
const PAGE_CALLS = 100;

export interface RetentionOptions {
  /** Time after the end of a call until its content is deleted. */
  readonly days: number;
  readonly deletion: CallDeletionRepository;
  readonly files: Pick<ObjectStore, 'delete'>;
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly onSwept: (deleted: number) => void;
  /** Called when deleting a call failed; the next sweep retries it. null: the sweep itself failed. */
  readonly onFault: (callId: string | null, error: unknown) => void;
}

/**
 * Deletes the content of calls after the retention period, at the start and then every hour. Calls are deleted one at a time, so that
 * a large backlog does not block the database.
 */
export class Retention {
  readonly #options: RetentionOptions;
  #stopped = false;
  #cancelTimer = (): void => {};
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweeping = this.#sweep().then(() => {
      if (!this.#stopped) this.#cancelTimer = this.#options.clock.after(SWEEP_EVERY_MS, () => this.start());
    });
  }

  /** Starts no further deletion and waits for the current one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#sweeping;
  }

  /** Never rejects. */
  async #sweep(): Promise<void> {
    const { clock, days, deletion, onFault, onSwept } = this.#options;
    const beforeMs = clock.wallMs() - days * DAY_MS;
    let deleted = 0;
    try {
      let page = await deletion.keptCalls(beforeMs, null, PAGE_CALLS);
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        for (const call of page) if (!this.#stopped && (await this.#delete(call))) deleted += 1;
        if (this.#stopped) break;
        // Continues after the last call: a call that cannot be deleted must not block the calls after it.
        page = await deletion.keptCalls(beforeMs, last, PAGE_CALLS);
      }
    } catch (error) {
      onFault(null, error);
    }
    if (deleted > 0) onSwept(deleted);
  }

  async #delete(call: KeptCall): Promise<boolean> {
    const { clock, onFault } = this.#options;
    try {
      return await deleteCallContent(call.id, this.#options, clock.wallMs());
    } catch (error) {
      onFault(call.id, error);
      return false;
    }
  }
}

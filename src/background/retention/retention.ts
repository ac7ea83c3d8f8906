import type { Clock } from '../../../base/time/clock.ts';
import type { CallDeletionRepository, KeptCall } from '../../storage/calls/call-deletion-repository.ts';
import { deleteCallContent } from './call-deletion.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** From one sweep to the next: what is kept for days goes an hour late at most. */
const SWEEP_EVERY_MS = 60 * 60 * 1_000;
/** Calls of one page of a sweep. */
const PAGE_CALLS = 100;

export interface RetentionOptions {
  /** So long after its end what was said on a call is kept. */
  readonly days: number;
  readonly deletion: CallDeletionRepository;
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly onSwept: (deleted: number) => void;
  /** A call whose content stays for now: the next sweep tries it again. Null: the sweep itself failed. */
  readonly onFault: (callId: string | null, error: unknown) => void;
}

/**
 * Deletes what was said on calls that ended longer ago than it may be kept, at the start and then every hour. One call after
 * another, so that a backlog of years leaves the database to the calls that run.
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

  /** Waits for the deletion that is under way, and begins no other. */
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
        // From the last one on, and not from the beginning: a call that cannot be deleted must not hold up those behind it.
        page = await deletion.keptCalls(beforeMs, last, PAGE_CALLS);
      }
    } catch (error) {
      onFault(null, error);
    }
    if (deleted > 0) onSwept(deleted);
  }

  async #delete(call: KeptCall): Promise<boolean> {
    const { clock, dataDir, deletion, onFault } = this.#options;
    try {
      return await deleteCallContent(call, deletion, dataDir, clock.wallMs());
    } catch (error) {
      onFault(call.id, error);
      return false;
    }
  }
}

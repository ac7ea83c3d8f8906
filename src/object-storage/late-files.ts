import { withTimeout } from '../../base/time/with-timeout.ts';
import type { CallRepository } from '../storage/calls/call-repository.ts';
import { persist } from '../storage/database/persist.ts';
import { removeSpooled, spooledCalls } from './call-files.ts';

/** Tries to ask the database. */
const TRIES = 6;
/** Time of one check with all its tries, ms: a stop waits for the checks. */
export const CHECK_MS_MAX = 8_000;
/** Calls of one question to the database at a start. */
const CALLS_AT_ONCE = 500;

export interface LateFilesOptions {
  readonly calls: Pick<CallRepository, 'deletedAmong'>;
  readonly dataDir: string;
  /** `callId` null: the check at the start. */
  readonly onFault: (callId: string | null, error: unknown) => void;
}

/**
 * Removes the files that a call completed after the deletion of its content, where no object store is: a call can be deleted once its row
 * is final, some seconds before its recording and tape are complete. With a store, `CallUploads` does so.
 */
export class LateFiles {
  readonly #options: LateFilesOptions;
  readonly #checks = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: LateFilesOptions) {
    this.#options = options;
  }

  /** Checks the files that earlier processes left. Called once their recordings are repaired. */
  start(): void {
    this.#track(null, () => this.#removeLeft());
  }

  /** Checks the files of a call. Called when it has ended and all of its data is on the disk. A failed check is repeated at the next start. */
  add(callId: string): void {
    this.#track(callId, () => this.#removeDeleted([callId]));
  }

  /** Waits for the checks in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#checks);
  }

  #track(callId: string | null, run: () => Promise<void>): void {
    const check = run()
      .catch((error: unknown) => this.#options.onFault(callId, error))
      .finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  async #removeLeft(): Promise<void> {
    const callIds = [...(await spooledCalls(this.#options.dataDir))];
    for (let first = 0; first < callIds.length && !this.#stopped; first += CALLS_AT_ONCE)
      await this.#removeDeleted(callIds.slice(first, first + CALLS_AT_ONCE));
  }

  async #removeDeleted(callIds: readonly string[]): Promise<void> {
    const { calls, dataDir } = this.#options;
    const reading = persist(() => calls.deletedAmong(callIds), TRIES);
    const deleted = await withTimeout(reading, CHECK_MS_MAX, () => {
      throw new Error(`no answer of the database in ${CHECK_MS_MAX} ms`);
    });
    for (const callId of deleted) await removeSpooled(dataDir, callId);
  }
}

import type { CallRecord } from '../storage/calls/call-record.ts';
import { persist } from '../storage/database/persist.ts';
import { removeSpooled } from './call-files.ts';

/** Tries to read the row of a call, for about eight seconds: a stop waits for them, and a supervisor adds 60 s to `DRAIN_SECONDS`. */
const TRIES = 6;

export interface LateFilesOptions {
  readonly findCall: (callId: string) => Promise<Pick<CallRecord, 'deletedMs'> | null>;
  readonly dataDir: string;
  readonly onFault: (callId: string, error: unknown) => void;
}

/**
 * Removes the files that a call completed after the deletion of its content, where no object store is: a call can be deleted once its row
 * is final, some seconds before its recording and tape are complete. With a store, `CallUploads` does so.
 */
export class LateFiles {
  readonly #options: LateFilesOptions;
  readonly #checks = new Set<Promise<void>>();

  constructor(options: LateFilesOptions) {
    this.#options = options;
  }

  /** Checks the files of a call. Called when it has ended and all of its data is on the disk. */
  add(callId: string): void {
    const check = this.#removeIfDeleted(callId).finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  /** Waits for the checks in progress. */
  async stop(): Promise<void> {
    await Promise.all(this.#checks);
  }

  /** Never rejects. */
  async #removeIfDeleted(callId: string): Promise<void> {
    const { dataDir, findCall, onFault } = this.#options;
    try {
      const call = await persist(() => findCall(callId), TRIES);
      if (call !== null && call.deletedMs !== null) await removeSpooled(dataDir, callId);
    } catch (error) {
      onFault(callId, error);
    }
  }
}

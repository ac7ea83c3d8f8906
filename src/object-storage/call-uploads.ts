import { join } from 'node:path';
import type { Clock } from '../../base/time/clock.ts';
import type { Log } from '../log/log.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import { isFinal } from '../storage/schema/call-status.ts';
import { keysOfCall, removeSpooled, spooledCalls, spooledKeys, tapeKeys } from './call-files.ts';
import type { ObjectStore } from './object-store.ts';

/** Calls whose files are sent at the same time. */
const UPLOADS_MAX = 4;
/** Failures in a row that end a pass: the store is unreachable, and the next pass tries again. */
const FAILURES_MAX = 8;
/** Wait after a pass with a failure, ms. It doubles up to the maximum. After the maximum, calls that were not ready are tried again, too. */
const RETRY_MS = 5_000;
const RETRY_MS_MAX = 300_000;
/** Time after which an upload counts as delayed, ms: at 30 Mbit/s, 58 minutes of recording. A store that stands still fails minutes later. */
const DELAYED_MS = 30_000;
/** Time of the uploads that wait at a stop, ms: within the 60 s that a supervisor adds to `DRAIN_SECONDS`. */
export const STOP_MS = 10_000;

export interface CallUploadsOptions {
  readonly store: Pick<ObjectStore, 'put' | 'delete'>;
  readonly findCall: (callId: string) => Promise<CallRecord | null>;
  readonly dataDir: string;
  /** Null: the only node. */
  readonly nodeId: string | null;
  readonly clock: Pick<Clock, 'after' | 'wallMs'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The files that wait in the spool. */
export interface UploadBacklog {
  readonly calls: number;
  /** Time that the first of them has waited in this process, ms. */
  readonly oldestMs: number;
}

/**
 * Sends the files of ended calls to the object store. The folders of the data directory are the spool, and the only record of what is
 * to be sent: a crash or an unreachable store loses nothing. A file leaves the spool once the store has it. Their size is bounded as without
 * a store: below `DISK_LOW_WATER_MB` of free space no file begins.
 */
export class CallUploads {
  readonly #options: CallUploadsOptions;
  /** The calls in the spool that have ended, by id, with the time since which they wait. */
  readonly #waiting = new Map<string, number>();
  readonly #abort = new AbortController();
  #passing: Promise<void> | null = null;
  /** A call may have become ready after the running pass tried it. */
  #again = false;
  #stopped = false;
  /** Whether the last pass had a failure. */
  #failing = false;
  /** Whether an upload was delayed and none has been quick since: further delayed ones are the same outage. */
  #delayed = false;
  #retryMs = RETRY_MS;
  #cancelRetry = (): void => {};

  private constructor(options: CallUploadsOptions, left: ReadonlySet<string>) {
    this.#options = options;
    for (const callId of left) this.#enqueue(callId);
  }

  /** Queues the files that a dead process left; `start` sends them. Open it before the first call of this process. Rejects if the spool cannot be read. */
  static async open(options: CallUploadsOptions): Promise<CallUploads> {
    return new CallUploads(options, await spooledCalls(options.dataDir));
  }

  /** Sends the files that a dead process left. Called once its recordings are repaired. */
  start(): void {
    const { calls } = this.backlog();
    if (calls > 0) this.#options.log.info({ calls }, 'spooled call files found');
    this.#begin();
  }

  /** Sends the files of a call. Called when it has ended and all of its data is on the disk. */
  add(callId: string): void {
    this.#enqueue(callId);
    // While the store is unreachable, only the timer starts a pass.
    if (!this.#failing) this.#begin();
  }

  backlog(): UploadBacklog {
    const nowMs = this.#options.clock.wallMs();
    let sinceMs = nowMs;
    for (const oneMs of this.#waiting.values()) sinceMs = Math.min(sinceMs, oneMs);
    return { calls: this.#waiting.size, oldestMs: nowMs - sinceMs };
  }

  /** Resolves once no pass runs. */
  async settled(): Promise<void> {
    while (this.#passing !== null) await this.#passing;
  }

  /** Waits for the running pass, for some seconds. The next start sends what is left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRetry();
    const cancel = this.#options.clock.after(STOP_MS, () => this.#abort.abort());
    await this.settled();
    cancel();
  }

  #enqueue(callId: string): void {
    if (!this.#waiting.has(callId)) this.#waiting.set(callId, this.#options.clock.wallMs());
  }

  #begin(): void {
    if (this.#stopped) return;
    this.#again = true;
    if (this.#passing !== null) return;
    this.#cancelRetry();
    this.#passing = this.#run().finally(() => {
      this.#passing = null;
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    let error: unknown = null;
    while (this.#again && error === null) {
      this.#again = false;
      error = await this.#pass();
    }
    if (this.#abort.signal.aborted) return;
    const { size: waiting } = this.#waiting;
    if (error === null && this.#failing) log.info({ waiting }, 'call file uploads resumed');
    this.#failing = error !== null;
    if (waiting === 0 || this.#stopped) return;
    this.#cancelRetry = clock.after(this.#failing ? this.#retryMs : RETRY_MS_MAX, () => this.#begin());
    this.#retryMs = this.#failing ? Math.min(2 * this.#retryMs, RETRY_MS_MAX) : RETRY_MS;
  }

  /** One try of each call that waits, those that end during the pass included. Resolves to the first error. Never rejects. */
  async #pass(): Promise<unknown> {
    const tried = new Set<string>();
    let failure: unknown = null;
    let failuresInRow = 0;
    const work = async (): Promise<void> => {
      for (let id = this.#nextOf(tried); id !== null && failuresInRow < FAILURES_MAX; id = this.#nextOf(tried)) {
        if (this.#abort.signal.aborted) return;
        tried.add(id);
        try {
          if (await this.#send(id)) this.#waiting.delete(id);
          failuresInRow = 0;
        } catch (error) {
          if (failure === null) this.#reportFailure(error);
          failure ??= error;
          failuresInRow += 1;
          this.#moveBack(id);
        }
      }
    };
    await Promise.all(Array.from({ length: UPLOADS_MAX }, work));
    return failure;
  }

  /** At once: the rest of the pass may take minutes. */
  #reportFailure(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const { size: waiting } = this.#waiting;
    this.#options.log.warn({ err: error, waiting, retry_ms: this.#retryMs }, 'call file upload failed');
  }

  #nextOf(tried: ReadonlySet<string>): string | null {
    for (const id of this.#waiting.keys()) if (!tried.has(id)) return id;
    return null;
  }

  /** A file that cannot be sent must not keep others from being tried. */
  #moveBack(callId: string): void {
    const sinceMs = this.#waiting.get(callId);
    if (sinceMs === undefined) return;
    this.#waiting.delete(callId);
    this.#waiting.set(callId, sinceMs);
  }

  /** False: the call is not ready. True: nothing of it is left to send. Rejects if the store, the database or the disk fails. */
  async #send(callId: string): Promise<boolean> {
    const { dataDir, findCall, nodeId } = this.#options;
    const call = await findCall(callId);
    // A call of another database: its files are not ours to move or delete.
    if (call === null) return true;
    if (!isFinal(call.status)) return false;
    if (call.deletedMs !== null) await this.#deleteStored(callId);
    // While its recording is being written, or repaired after a crash, its completeness is unknown.
    else if (call.recordingPath !== null && call.recordingComplete === null) {
      // Adopted from a node whose recording is on its own disk: that node sends it after its restart.
      return call.nodeId !== nodeId && (await spooledKeys(dataDir, keysOfCall(callId))).length === 0;
    } else await this.#store(call);
    await removeSpooled(dataDir, callId);
    return true;
  }

  /** The audio of a call without a recording is what a crash left of an unanswered call. It is not sent. */
  async #store({ id, recordingPath }: Pick<CallRecord, 'id' | 'recordingPath'>): Promise<void> {
    const { dataDir, findCall } = this.#options;
    const keys = await spooledKeys(dataDir, recordingPath === null ? tapeKeys(id) : keysOfCall(id));
    for (const key of keys) await this.#put(key);
    // The content may have been deleted during the upload, on any node.
    const after = await findCall(id);
    if (after === null || after.deletedMs !== null) await this.#deleteStored(id);
  }

  async #put(key: string): Promise<void> {
    const { clock, dataDir, log, store } = this.#options;
    let isDelayed = false;
    const cancel = clock.after(DELAYED_MS, () => {
      isDelayed = true;
      if (!this.#delayed) log.warn({ waiting: this.#waiting.size, ms: DELAYED_MS }, 'call file upload delayed');
      this.#delayed = true;
    });
    await store.put(key, join(dataDir, key), { signal: this.#abort.signal }).finally(cancel);
    if (isDelayed || !this.#delayed) return;
    this.#delayed = false;
    // After a failure the end of the pass reports it.
    if (!this.#failing) log.info({ waiting: this.#waiting.size }, 'call file uploads resumed');
  }

  /** Also what an upload left that was interrupted after the deletion of the call. */
  async #deleteStored(callId: string): Promise<void> {
    for (const key of keysOfCall(callId)) await this.#options.store.delete(key);
  }
}

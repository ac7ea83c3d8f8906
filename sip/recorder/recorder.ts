import { Worker } from 'node:worker_threads';
import type { RecorderCommand, RecorderReport, RecorderWorkerOptions } from './recorder-messages.ts';
import type { RecordingOutcome } from './recording-outcome.ts';
import { createRecordingMemory, RecordingReader } from './recording-ring.ts';
import { repairWav } from './repair-wav.ts';

export interface RecorderOptions {
  /** Free bytes on the disk below which recordings stop. */
  readonly lowWaterBytes?: number;
  /** A recording lost a part, or stopped. Called at most once per recording; for logs and metrics. */
  readonly onIncomplete?: (path: string, reason: string) => void;
}

export interface Recording {
  /** For the `RecordingTrack` of the call's media worker. */
  readonly memory: SharedArrayBuffer;
  /** Writes the rest and closes the file. Call it once the track writes no more. Idempotent, never rejects. */
  finish(): Promise<RecordingOutcome>;
}

interface Entry {
  readonly id: number;
  readonly path: string;
  readonly memory: SharedArrayBuffer;
  readonly finished: Promise<RecordingOutcome>;
  readonly settle: (outcome: RecordingOutcome) => void;
  timer: NodeJS.Timeout | null;
}

/** Leaves space for the database and the logs after recordings have stopped. */
const LOW_WATER_BYTES = 256 * 1024 * 1024;
/** If the disk does not write the rest of a recording in this time, the rest is lost. */
const FINISH_TIMEOUT_MS = 10_000;
/** More exits of the worker than this within `EXIT_SPAN_MS` end all recordings. None starts until fewer are left in the span. */
const EXITS_MAX = 5;
const EXIT_SPAN_MS = 60_000;
const TOO_MANY_EXITS = 'the recorder exited too often';
/** The heap of a worker that holds one chunk of audio. */
const WORKER_HEAP_MB = 64;
/** `.ts` from the sources, `.js` once built. */
const WORKER_URL = new URL(`./recorder-worker${import.meta.url.slice(-3)}`, import.meta.url);

/**
 * The main thread's handle of the recorder's worker. An exit of the worker loses nothing if its successor starts before
 * the ring is full: the successor continues from the shared memory.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #entries = new Map<number, Entry>();
  #worker: Worker | null;
  /** Times of the worker's exits within `EXIT_SPAN_MS`, ms. */
  #exits: number[] = [];
  #nextId = 1;
  #closing = false;

  constructor(options: RecorderOptions = {}) {
    this.#options = options;
    this.#worker = this.#spawn();
  }

  /** Starts a stereo WAV at `path` (peer left, agent right) and makes its folder. `finish` reports failures. */
  start(path: string): Recording {
    const id = this.#nextId++;
    const memory = createRecordingMemory();
    const { promise, resolve } = Promise.withResolvers<RecordingOutcome>();
    const entry: Entry = { id, path, memory, finished: promise, settle: resolve, timer: null };
    this.#worker ??= this.#respawn();
    if (this.#worker === null) {
      this.#options.onIncomplete?.(path, TOO_MANY_EXITS);
      resolve({ path: null, complete: false, durationMs: 0 });
    } else {
      this.#entries.set(id, entry);
      this.#send({ type: 'start', id, path, memory, resume: false });
    }
    return { memory, finish: () => this.#finish(entry) };
  }

  /** Finishes the running recordings and ends the worker. */
  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#finish(entry)));
    this.#closing = true;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #finish(entry: Entry): Promise<RecordingOutcome> {
    if (this.#entries.has(entry.id) && entry.timer === null) {
      entry.timer = setTimeout(
        () => void this.#abandon(entry, 'the disk was too slow for the rest'),
        FINISH_TIMEOUT_MS,
      );
      this.#send({ type: 'finish', id: entry.id });
    }
    return entry.finished;
  }

  #spawn(): Worker {
    const workerData: RecorderWorkerOptions = { lowWaterBytes: this.#options.lowWaterBytes ?? LOW_WATER_BYTES };
    const resourceLimits = { maxOldGenerationSizeMb: WORKER_HEAP_MB };
    const worker = new Worker(WORKER_URL, { workerData, resourceLimits, name: 'recorder' });
    worker.on('message', (report: RecorderReport) => this.#handleReport(report));
    // Every error of a worker is followed by its exit, which is handled.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#replace(worker));
    return worker;
  }

  #replace(exited: Worker): void {
    if (this.#closing || this.#worker !== exited) return;
    this.#exits.push(performance.now());
    this.#worker = this.#respawn();
    if (this.#worker === null) {
      for (const entry of this.#entries.values()) void this.#abandon(entry, TOO_MANY_EXITS);
      return;
    }
    for (const { id, path, memory, timer } of this.#entries.values()) {
      this.#send({ type: 'start', id, path, memory, resume: true });
      if (timer !== null) this.#send({ type: 'finish', id });
    }
  }

  #respawn(): Worker | null {
    const nowMs = performance.now();
    this.#exits = this.#exits.filter((atMs) => nowMs - atMs < EXIT_SPAN_MS);
    return this.#closing || this.#exits.length > EXITS_MAX ? null : this.#spawn();
  }

  #handleReport(report: RecorderReport): void {
    const entry = this.#entries.get(report.id);
    if (entry === undefined) return;
    switch (report.type) {
      case 'incomplete':
        this.#options.onIncomplete?.(entry.path, report.reason);
        return;
      case 'finished':
        this.#settle(entry, {
          path: report.exists ? entry.path : null,
          complete: report.complete,
          durationMs: report.durationMs,
        });
        return;
    }
  }

  /** Ends a recording early. The audio on the disk stays, as a valid file. */
  async #abandon(entry: Entry, reason: string): Promise<void> {
    if (!this.#entries.delete(entry.id)) return;
    new RecordingReader(entry.memory).markStopped();
    this.#options.onIncomplete?.(entry.path, reason);
    // A file that cannot be read may hold audio: it is kept.
    const durationMs = await repairWav(entry.path).catch(() => 0);
    this.#settle(entry, {
      path: durationMs === null ? null : entry.path,
      complete: false,
      durationMs: durationMs ?? 0,
    });
  }

  #settle(entry: Entry, outcome: RecordingOutcome): void {
    this.#entries.delete(entry.id);
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.settle(outcome);
  }

  #send(command: RecorderCommand): void {
    this.#worker?.postMessage(command);
  }
}

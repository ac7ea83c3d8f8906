import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { END_OF_TURN_ANSWER_MS_MAX, type EndOfTurnModel } from '../../engine/ports/end-of-turn-model.ts';
import type { JudgeAnswer, JudgeRequest } from './end-of-turn-worker-messages.ts';
import { ONNX_RUNTIME } from './onnx-session.ts';

export interface EndOfTurnModelOptions {
  /** Path of the ONNX file. */
  readonly path: string;
  /** Name or path of the module `onnxruntime-node`. */
  readonly runtime?: string;
  readonly nowMs: () => number;
  /** The model cannot be used now: the rules decide. */
  readonly onFailed: (error: unknown) => void;
  readonly onReady?: () => void;
}

/** Pauses after the one that is judged; a further one is left to the rules. One takes 20 to 60 ms. */
const QUEUE_MAX = 3;
/** An answer that takes longer will never come: a busy machine delays one by seconds. Unit: ms. */
const HANG_MS = 10_000;
/** Loading reads a file of some 10 MB and compiles it. Unit: ms. */
const LOAD_MS_MAX = 60_000;
/** After this many failed runs in a row the worker is replaced. */
const FAILED_RUNS_MAX = 5;
/** A model that has worked before is loaded again this long after its failure. Unit: ms. */
const RELOAD_AFTER_MS = 60_000;

interface Pause extends Omit<JudgeRequest, 'id'> {
  readonly askedMs: number;
  readonly answer: (probability: number) => void;
}

/**
 * An acoustic end-of-turn model for all calls. It runs in one worker, one pause at a time. While it loads or is busy, the
 * rules decide without it, and a late answer is dropped. A failed run is one pause without an answer. If the worker fails or
 * hangs, it is ended; it is started again after a while if it has worked before.
 */
export class WorkerEndOfTurnModel implements EndOfTurnModel {
  readonly #options: EndOfTurnModelOptions;
  #worker: Worker | null = null;
  #startedMs = 0;
  #isReady = false;
  #wasReady = false;
  #isClosed = false;
  #failedMs = 0;
  #failedRuns = 0;
  #running: (Pause & { readonly id: number }) | null = null;
  #queue: Pause[] = [];
  #nextId = 0;

  constructor(options: EndOfTurnModelOptions) {
    this.#options = options;
    this.#open();
  }

  judge(audio: Uint8Array, format: AudioFormat, answer: (probability: number) => void): void {
    this.#checkWorker();
    if (!this.#isReady || this.#queue.length >= QUEUE_MAX) return;
    this.#queue.push({ audio, format, answer, askedMs: this.#options.nowMs() });
    this.#judgeNext();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isReady = false;
    await this.#worker?.terminate();
  }

  #open(): void {
    const { nowMs, path, runtime = ONNX_RUNTIME } = this.#options;
    this.#startedMs = nowMs();
    const entry = new URL(`./end-of-turn-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(entry, { workerData: { path, runtime } });
    this.#worker = worker;
    // Does not keep the process alive.
    worker.unref();
    worker.on('message', (message: JudgeAnswer) => {
      if (worker === this.#worker) this.#take(message);
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', (code) => this.#fail(worker, new Error(`the worker exited with ${code}`)));
  }

  /** The next pause that can still be answered in time. */
  #judgeNext(): void {
    if (this.#running !== null) return;
    const nowMs = this.#options.nowMs();
    this.#queue = this.#queue.filter(({ askedMs }) => nowMs - askedMs <= END_OF_TURN_ANSWER_MS_MAX);
    const pause = this.#queue.shift();
    if (pause === undefined) return;
    const id = this.#nextId++;
    this.#running = { ...pause, id };
    const request: JudgeRequest = { id, audio: pause.audio, format: pause.format };
    this.#worker?.postMessage(request);
  }

  #take(message: JudgeAnswer): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#wasReady = true;
      this.#options.onReady?.();
      return;
    }
    const pause = this.#running;
    if (pause === null || pause.id !== message.id) return;
    this.#running = null;
    if (message.type === 'failed') this.#onFailedRun(message.message);
    else {
      this.#failedRuns = 0;
      if (this.#options.nowMs() - pause.askedMs <= END_OF_TURN_ANSWER_MS_MAX) pause.answer(message.probability);
    }
    this.#judgeNext();
  }

  #onFailedRun(message: string): void {
    if (++this.#failedRuns < FAILED_RUNS_MAX) return;
    this.#failedRuns = 0;
    this.#fail(this.#worker, new Error(`${FAILED_RUNS_MAX} runs failed in a row: ${message}`));
  }

  /** Runs at each pause: without one, no call needs the model. */
  #checkWorker(): void {
    if (this.#isClosed) return;
    const nowMs = this.#options.nowMs();
    if (this.#worker === null) {
      if (this.#wasReady && nowMs - this.#failedMs > RELOAD_AFTER_MS) this.#open();
    } else if (this.#running !== null && nowMs - this.#running.askedMs > HANG_MS) {
      this.#fail(this.#worker, hangError('answer', HANG_MS));
    } else if (!this.#isReady && nowMs - this.#startedMs > LOAD_MS_MAX) {
      this.#fail(this.#worker, hangError('load', LOAD_MS_MAX));
    }
  }

  /** Only the first failure of a worker is reported. */
  #fail(worker: Worker | null, error: unknown): void {
    if (this.#isClosed || worker === null || worker !== this.#worker) return;
    this.#worker = null;
    this.#isReady = false;
    this.#running = null;
    this.#queue = [];
    this.#failedMs = this.#options.nowMs();
    this.#options.onFailed(error);
    void worker.terminate();
  }
}

function hangError(what: 'answer' | 'load', ms: number): Error {
  return new Error(
    `the model did not ${what} within ${ms / 1000} s. Restart the service, or set END_OF_TURN_MODEL to another file`,
  );
}

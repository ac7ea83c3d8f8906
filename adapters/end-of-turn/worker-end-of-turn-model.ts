import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { EndOfTurnModel } from '../../engine/ports/end-of-turn-model.ts';
import type { JudgeAnswer, JudgeRequest } from './end-of-turn-worker-messages.ts';

export interface EndOfTurnModelOptions {
  /** Path of the ONNX file. */
  readonly path: string;
  /** Name or path of the module `onnxruntime-node`. */
  readonly runtime?: string;
  readonly nowMs: () => number;
  /** The model cannot be used: from now on the rules decide. */
  readonly onFailed: (error: unknown) => void;
  readonly onReady?: () => void;
}

/** A later answer is dropped: the rules have decided, or the user has spoken again. Unit: ms. */
const ANSWER_MAX_MS = 80;
/** Pauses that wait for the model; a further one is left to the rules. Each takes some 20 ms. */
const WAITING_MAX = 4;
/** An answer that takes longer will never come: a busy machine delays one by seconds. Unit: ms. */
const HANG_MS = 10_000;
/** Loading reads a file of some 10 MB and compiles it. Unit: ms. */
const LOAD_MAX_MS = 60_000;

interface Waiting {
  readonly askedMs: number;
  readonly answer: (probability: number) => void;
}

/**
 * An acoustic end-of-turn model for all calls. It runs in one worker. While it loads or is busy, the rules decide without
 * it, and a late answer is dropped. After a failure, or once it hangs, the worker is ended, and the rules decide for good.
 */
export class WorkerEndOfTurnModel implements EndOfTurnModel {
  readonly #options: EndOfTurnModelOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #startedMs: number;
  #isUsable = false;
  #isClosed = false;
  #nextId = 0;

  constructor(options: EndOfTurnModelOptions) {
    this.#options = options;
    const { path, runtime = 'onnxruntime-node' } = options;
    this.#startedMs = options.nowMs();
    const entry = new URL(`./end-of-turn-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(entry, { workerData: { path, runtime } });
    // Does not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: JudgeAnswer) => this.#take(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`the worker exited with ${code}`)));
  }

  judge(audio: Uint8Array, format: AudioFormat, answer: (probability: number) => void): void {
    const hang = this.#isClosed ? null : this.#hang();
    if (hang !== null) {
      this.#fail(hang);
      void this.#worker.terminate();
    }
    if (!this.#isUsable || this.#waiting.size >= WAITING_MAX) return;
    const id = this.#nextId++;
    this.#waiting.set(id, { askedMs: this.#options.nowMs(), answer });
    const request: JudgeRequest = { id, audio, format };
    this.#worker.postMessage(request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUsable = false;
    await this.#worker.terminate();
  }

  #take(message: JudgeAnswer): void {
    if (message.type === 'ready') {
      this.#isUsable = true;
      this.#options.onReady?.();
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (waiting === undefined || this.#options.nowMs() - waiting.askedMs > ANSWER_MAX_MS) return;
    waiting.answer(message.probability);
  }

  /** Judged at each pause: without one, no call needs the model. */
  #hang(): Error | null {
    const nowMs = this.#options.nowMs();
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined && nowMs - oldest.askedMs > HANG_MS) {
      return new Error(
        `the model did not answer within ${HANG_MS / 1000} s. Restart the service, or set END_OF_TURN_MODEL to another file`,
      );
    }
    if (this.#isUsable || nowMs - this.#startedMs <= LOAD_MAX_MS) return null;
    return new Error(
      `the model did not load within ${LOAD_MAX_MS / 1000} s. Restart the service, or set END_OF_TURN_MODEL to another file`,
    );
  }

  /** Only the first failure is reported. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isUsable = false;
    this.#waiting.clear();
    this.#options.onFailed(error);
  }
}

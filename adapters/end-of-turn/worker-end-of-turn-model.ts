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

interface Waiting {
  readonly askedMs: number;
  readonly answer: (probability: number) => void;
}

/**
 * An acoustic end-of-turn model in a worker of its own, for all calls. It answers only in time: while it loads, is busy, slow
 * or has failed, it says nothing.
 */
export class WorkerEndOfTurnModel implements EndOfTurnModel {
  readonly #options: EndOfTurnModelOptions;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #isUsable = false;
  #isClosed = false;
  #nextId = 0;

  constructor(options: EndOfTurnModelOptions) {
    this.#options = options;
    const { path, runtime = 'onnxruntime-node' } = options;
    const entry = new URL(`./end-of-turn-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(entry, { workerData: { path, runtime } });
    // Does not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: JudgeAnswer) => this.#take(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`the worker exited with ${code}`)));
  }

  judge(audio: Uint8Array, format: AudioFormat, answer: (probability: number) => void): void {
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

  /** Only the first failure is reported. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isUsable = false;
    this.#waiting.clear();
    this.#options.onFailed(error);
  }
}

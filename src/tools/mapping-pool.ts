import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MappingJob } from './mapping-worker.ts';
import type { MappingOutcome } from './response-mapping.ts';

interface Waiting {
  readonly job: MappingJob;
  /** In the terms of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (outcome: MappingOutcome) => void;
}

/** Workers at once. They start when they are needed and stay for the next job. */
const WORKERS_MAX = 2;
/** Jobs that wait; one more is refused at once. */
const WAITING_MAX = 64;
/** A job that takes longer loses its worker. A document of 1 MiB and an honest path take some 20 ms. */
const JOB_TIMEOUT_MS = 1_000;
/** A worker that has to start first gets this on top: some 100 ms, far more on a machine that is busy. */
const START_TIMEOUT_MS = 3_000;
/** Heap of a worker: a document of 1 MiB becomes at most some 30 MiB of objects. */
const WORKER_HEAP_MIB = 96;

/** Evaluates response mappings away from the main thread, bounded in time and memory. */
export class MappingPool {
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Waiting[] = [];

  /**
   * Never rejects: a job that fails, is refused, takes too long, or is not done within `timeoutMs`, its wait for a
   * worker included, has that as its problem.
   */
  map(job: MappingJob, timeoutMs: number): Promise<MappingOutcome> {
    return new Promise((resolve) => {
      if (this.#waiting.length >= WAITING_MAX) {
        resolve(failed('too many responses are being read at this moment'));
        return;
      }
      this.#waiting.push({ job, deadline: performance.now() + timeoutMs, resolve });
      this.#next();
    });
  }

  async close(): Promise<void> {
    for (const { resolve } of this.#waiting.splice(0)) resolve(failed('the service is stopping'));
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#idle.length === 0 && this.#all.size >= WORKERS_MAX) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    if (performance.now() >= waiting.deadline) {
      waiting.resolve(failed('too many responses are being read at this moment'));
      this.#next();
      return;
    }
    const idle = this.#idle.pop();
    if (idle === undefined) this.#run(this.#start(), waiting, JOB_TIMEOUT_MS + START_TIMEOUT_MS);
    else this.#run(idle, waiting, JOB_TIMEOUT_MS);
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./mapping-worker${extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB },
    });
    this.#all.add(worker);
    // An idle worker keeps no process alive, and one that dies idle is forgotten.
    worker.unref();
    worker.on('error', () => this.#forget(worker));
    worker.on('exit', () => this.#forget(worker));
    return worker;
  }

  #run(worker: Worker, { job, deadline, resolve }: Waiting, timeoutMs: number): void {
    const end = (outcome: MappingOutcome): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onDeath).off('exit', onDeath);
      worker.unref();
      resolve(outcome);
      this.#next();
    };
    const onMessage = (outcome: MappingOutcome): void => {
      this.#idle.push(worker);
      end(outcome);
    };
    const onDeath = (): void => {
      this.#forget(worker);
      end(failed('reading the response took too much memory'));
    };
    const timer = setTimeout(
      () => {
        this.#forget(worker);
        worker.terminate().catch(() => {});
        end(failed('reading the response took too long'));
      },
      Math.min(deadline - performance.now(), timeoutMs),
    );
    worker.ref();
    worker.on('message', onMessage).on('error', onDeath).on('exit', onDeath);
    worker.postMessage(job);
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}

function failed(problem: string): MappingOutcome {
  return { mapped: [], problems: [problem] };
}

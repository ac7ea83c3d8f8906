import { extname } from 'node:path';
import { JobProcess } from '../../background/job-process/job-process.ts';
import type { MappingJob } from './mapping-job.ts';
import type { MappingOutcome } from './response-mapping.ts';

interface Waiting {
  readonly job: MappingJob;
  /** In the terms of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (outcome: MappingOutcome) => void;
}

type MappingProcess = JobProcess<MappingJob, MappingOutcome>;

/** Processes at once. They start when they are needed and stay for the next job. */
const PROCESSES_MAX = 2;
/** Jobs that wait; one more is refused at once. */
const WAITING_MAX = 64;
/** A job that takes longer loses its process. A document of 1 MiB and an honest path take some 20 ms. */
const JOB_TIMEOUT_MS = 1_000;
/** A process that has to start first gets this on top: some 100 ms, far more on a machine that is busy. */
const START_TIMEOUT_MS = 3_000;
/** A document of 1 MiB becomes at most some 30 MiB of objects. */
const BOUNDS = { heapMib: 96, residentMib: 256 };
const PROBLEMS = {
  too_long: 'reading the response took too long',
  too_much_memory: 'reading the response took too much memory',
  failed: 'the response could not be read',
};

/** Evaluates response mappings in processes of their own, bounded in time and memory. */
export class MappingPool {
  readonly #all = new Set<MappingProcess>();
  readonly #idle: MappingProcess[] = [];
  readonly #waiting: Waiting[] = [];
  #busy = 0;

  /**
   * Never rejects: a job that fails, is refused, takes too long, or is not done within `timeoutMs`, its wait for a
   * process included, has that as its problem.
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

  close(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(failed('the service is stopping'));
    for (const process of this.#all) process.end();
  }

  #next(): void {
    while (this.#busy < PROCESSES_MAX) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      const leftMs = waiting.deadline - performance.now();
      if (leftMs <= 0) waiting.resolve(failed('too many responses are being read at this moment'));
      else void this.#run(waiting, leftMs);
    }
  }

  async #run({ job, resolve }: Waiting, leftMs: number): Promise<void> {
    this.#busy += 1;
    const idle = this.#takeIdle();
    const process = idle ?? this.#start();
    const timeoutMs = idle === undefined ? START_TIMEOUT_MS + JOB_TIMEOUT_MS : JOB_TIMEOUT_MS;
    const outcome = await process.run(job, Math.min(leftMs, timeoutMs));
    this.#busy -= 1;
    this.#idle.push(process);
    resolve(outcome.type === 'answered' ? outcome.answer : failed(PROBLEMS[outcome.type]));
    this.#next();
  }

  #takeIdle(): MappingProcess | undefined {
    for (;;) {
      const process = this.#idle.pop();
      if (process === undefined || !process.isOver) return process;
      this.#all.delete(process);
    }
  }

  #start(): MappingProcess {
    const script = new URL(`./mapping-job${extname(import.meta.url)}`, import.meta.url);
    const process: MappingProcess = new JobProcess(script, BOUNDS);
    this.#all.add(process);
    return process;
  }
}

function failed(problem: string): MappingOutcome {
  return { mapped: [], problems: [problem] };
}

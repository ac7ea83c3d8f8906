import { extname } from 'node:path';
import { JobProcess } from '../../background/job-process/job-process.ts';
import type { MappingJob } from './mapping-job.ts';
import type { MappingOutcome } from './response-mapping.ts';

interface Waiting {
  readonly job: MappingJob;
  /** Time of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (outcome: MappingOutcome) => void;
}

type MappingProcess = JobProcess<MappingJob, MappingOutcome>;

/** Maximum number of processes. They start on demand and are reused. */
const PROCESSES_MAX = 2;
/** Maximum number of waiting jobs. A further job fails at once. */
const WAITING_MAX = 64;
/** Job timeout, after which its process is killed. A document of 1 MiB and a normal path take about 20 ms. */
const JOB_TIMEOUT_MS = 1_000;
/** Extra time for starting a process: about 100 ms, far more on a busy machine. */
const START_TIMEOUT_MS = 3_000;
/** A document of 1 MiB becomes at most about 30 MiB of objects. */
const BOUNDS = { heapMib: 96, residentMib: 256 };
const PROBLEMS = {
  too_long: 'reading the response took too long',
  too_much_memory: 'reading the response took too much memory',
  failed: 'the response could not be read',
};

/** Evaluates response mappings in child processes, bounded in time and memory. */
export class MappingPool {
  readonly #all = new Set<MappingProcess>();
  readonly #idle: MappingProcess[] = [];
  readonly #waiting: Waiting[] = [];
  #busy = 0;

  /** Never rejects: failures and timeouts become problems of the outcome. `timeoutMs` includes the wait for a process. */
  map(job: MappingJob, timeoutMs: number): Promise<MappingOutcome> {
    return new Promise((resolve) => {
      if (this.#waiting.length >= WAITING_MAX) {
        resolve(failed('too many responses are being read: try again'));
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
      if (leftMs <= 0) waiting.resolve(failed('too many responses are being read: try again'));
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

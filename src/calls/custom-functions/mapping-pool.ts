import { extname } from 'node:path';
import { FairSlots } from '../../../base/limits/fair-slots.ts';
import { OrganizationShares } from '../../../base/limits/organization-shares.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import { JobProcess } from '../../background/job-process/job-process.ts';
import type { MappingJob } from './mapping-job.ts';
import type { MappingOutcome } from './response-mapping.ts';

interface Waiting {
  readonly organizationId: string;
  readonly job: MappingJob;
  /** Time of the clock, µs. */
  readonly deadlineUs: number;
  /** Ends the wait: returns the slot of the queue and cancels the deadline. */
  readonly leave: () => void;
  readonly resolve: (outcome: MappingOutcome) => void;
}

type MappingProcess = Pick<JobProcess<MappingJob, MappingOutcome>, 'isOver' | 'run' | 'end'>;

/** Maximum number of processes: one organization uses two of them, as `FairSlots` says. They start on demand and are reused. */
const PROCESSES_MAX = 3;
/** Maximum number of waiting jobs, 32 of one organization. A further job fails at once. */
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

const TRY_AGAIN = 'too many responses are being read: try again';
const US_PER_MS = 1_000;

/**
 * Evaluates response mappings in child processes, bounded in time and memory. Organizations share processes and queue: next is the one
 * that has used least process time.
 */
export class MappingPool {
  readonly #clock: Pick<Clock, 'after' | 'nowUs'>;
  readonly #start: () => MappingProcess;
  readonly #all = new Set<MappingProcess>();
  readonly #idle: MappingProcess[] = [];
  /** The job that has waited longest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #queue = new FairSlots(WAITING_MAX);
  readonly #processes = new FairSlots(PROCESSES_MAX);
  readonly #shares = new OrganizationShares();

  /** The parameters are for tests. */
  constructor(clock: Pick<Clock, 'after' | 'nowUs'> = SYSTEM_CLOCK, start: () => MappingProcess = startProcess) {
    this.#clock = clock;
    this.#start = start;
  }

  /** Never rejects: failures and timeouts become problems of the outcome. `timeoutMs` includes the wait for a process. */
  map(organizationId: string, job: MappingJob, timeoutMs: number): Promise<MappingOutcome> {
    return new Promise((resolve) => {
      const release = this.#queue.take(organizationId);
      if (release === null) {
        resolve(failed(TRY_AGAIN));
        return;
      }
      const cancel = this.#clock.after(timeoutMs, () => {
        waiting.leave();
        resolve(failed(TRY_AGAIN));
      });
      const waiting: Waiting = {
        organizationId,
        job,
        deadlineUs: this.#clock.nowUs() + timeoutMs * US_PER_MS,
        leave: () => {
          cancel();
          release();
          this.#waiting.delete(waiting);
        },
        resolve,
      };
      this.#waiting.add(waiting);
      this.#next();
    });
  }

  close(): void {
    for (const { leave, resolve } of [...this.#waiting]) {
      leave();
      resolve(failed('the service is stopping'));
    }
    for (const process of this.#all) process.end();
  }

  #next(): void {
    for (;;) {
      const ready = [...this.#waiting].filter(({ organizationId }) => this.#processes.isFree(organizationId));
      const next = this.#shares.next(ready.map(({ organizationId }) => organizationId));
      const waiting = ready.find(({ organizationId }) => organizationId === next);
      const release = waiting === undefined ? null : this.#processes.take(waiting.organizationId);
      if (waiting === undefined || release === null) return;
      waiting.leave();
      void this.#run(waiting, release);
    }
  }

  async #run({ organizationId, deadlineUs, job, resolve }: Waiting, release: () => void): Promise<void> {
    const beganUs = this.#clock.nowUs();
    const idle = this.#takeIdle();
    const process = idle ?? this.#startProcess();
    const timeoutMs = idle === undefined ? START_TIMEOUT_MS + JOB_TIMEOUT_MS : JOB_TIMEOUT_MS;
    const leftMs = (deadlineUs - beganUs) / US_PER_MS;
    const outcome = await process.run(job, Math.min(leftMs, timeoutMs));
    this.#shares.used(organizationId, this.#clock.nowUs() - beganUs);
    release();
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

  #startProcess(): MappingProcess {
    const process = this.#start();
    this.#all.add(process);
    return process;
  }
}

function startProcess(): MappingProcess {
  return new JobProcess(new URL(`./mapping-job${extname(import.meta.url)}`, import.meta.url), BOUNDS);
}

function failed(problem: string): MappingOutcome {
  return { mapped: [], problems: [problem] };
}

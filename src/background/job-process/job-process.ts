import { fork } from 'node:child_process';

export interface JobBounds {
  /** Of JavaScript objects, MiB. */
  readonly heapMib: number;
  /** Of all that the process holds in memory, MiB: what is unpacked lies outside the heap. Node itself takes some 60. */
  readonly residentMib: number;
}

export type JobOutcome<Answer> =
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'too_long' }
  | { readonly type: 'too_much_memory' }
  /** It threw, could not be started, or was ended. */
  | { readonly type: 'failed' };

/** V8 aborts at the limit of its heap; the guard and the kernel kill. */
const MEMORY_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL'];

/**
 * A process for work on what strangers sent. A worker thread is not enough for it: at the limit of a thread's heap V8 ends
 * the thread only where it is asked in time, and the whole process where one allocation is larger than what is left.
 * `script` calls `answerJobs`. It inherits no environment, and so no key.
 */
export class JobProcess<Job extends object, Answer> {
  readonly #process;
  #end: (outcome: JobOutcome<Answer>) => void = () => {};
  #isOver = false;

  constructor(script: URL, { heapMib, residentMib }: JobBounds) {
    const { NODE_COMPILE_CACHE } = process.env;
    this.#process = fork(script, [String(residentMib), String(process.pid)], {
      execArgv: [`--max-old-space-size=${heapMib}`],
      env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // It keeps no process alive: a job's time does.
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.on('message', (answer) => this.#end({ type: 'answered', answer: answer as Answer }));
    this.#process.on('error', () => this.#over({ type: 'failed' }));
    this.#process.on('exit', (_code, signal) =>
      this.#over({ type: MEMORY_SIGNALS.includes(signal) ? 'too_much_memory' : 'failed' }),
    );
  }

  /** -1 where it could not be started. */
  get pid(): number {
    return this.#process.pid ?? -1;
  }

  /** True once it takes no further job. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** One job at a time. Never rejects. After `timeoutMs` the process is killed. */
  run(job: Job, timeoutMs: number): Promise<JobOutcome<Answer>> {
    return new Promise((resolve) => {
      if (this.#isOver) {
        resolve({ type: 'failed' });
        return;
      }
      const timer = setTimeout(() => this.#kill({ type: 'too_long' }), timeoutMs);
      this.#end = (outcome) => {
        clearTimeout(timer);
        this.#end = () => {};
        resolve(outcome);
      };
      // Where it cannot be sent the process has died, and tells so itself.
      this.#process.send(job, () => {});
    });
  }

  /** At once: a job that is being done has failed. */
  end(): void {
    this.#kill({ type: 'failed' });
  }

  #kill(outcome: JobOutcome<Answer>): void {
    this.#process.kill('SIGKILL');
    this.#over(outcome);
  }

  #over(outcome: JobOutcome<Answer>): void {
    this.#isOver = true;
    this.#end(outcome);
  }
}

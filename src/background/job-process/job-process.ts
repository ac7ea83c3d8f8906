import { fork } from 'node:child_process';

export interface JobBounds {
  /** Maximum size of the JavaScript heap, MiB. */
  readonly heapMib: number;
  /** Maximum resident memory, MiB. Unpacked data is outside the heap. Node itself takes about 60. */
  readonly residentMib: number;
}

export type JobOutcome<Answer> =
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'too_long' }
  | { readonly type: 'too_much_memory' }
  /** The job threw, or the process could not be started or was ended. */
  | { readonly type: 'failed' };

/** V8 aborts at its heap limit; the guard and the kernel kill. */
const MEMORY_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL'];

/**
 * A process for work on untrusted input. A worker thread is not enough: at its heap limit V8 ends the whole process if one
 * allocation exceeds the rest of the heap. `script` calls `answerJobs`. It inherits no environment, and so no API key.
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
    // The idle process does not keep the service alive; the timeout of a running job does.
    this.#process.unref();
    this.#process.channel?.unref();
    this.#process.on('message', (answer) => this.#end({ type: 'answered', answer: answer as Answer }));
    this.#process.on('error', () => this.#over({ type: 'failed' }));
    this.#process.on('exit', (_code, signal) =>
      this.#over({ type: MEMORY_SIGNALS.includes(signal) ? 'too_much_memory' : 'failed' }),
    );
  }

  /** -1: the process could not be started. */
  get pid(): number {
    return this.#process.pid ?? -1;
  }

  /** true: the process accepts no further job. */
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
      // If sending fails the process has exited, and its exit event follows.
      this.#process.send(job, () => {});
    });
  }

  /** Ends the process at once. A running job fails. */
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

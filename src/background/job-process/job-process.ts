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

/** A message of the child process: during a job, or the answer at its end. */
export type JobOutput<Answer, Message> =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'message'; readonly message: Message };

/** A message to the child process: a job, or a message during it. */
export type JobInput<Job, Message> =
  | { readonly type: 'job'; readonly job: Job }
  | { readonly type: 'message'; readonly message: Message };

/** V8 aborts at its heap limit; the guard and the kernel kill. */
const MEMORY_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL'];

/**
 * A process for work on untrusted input. A worker thread is not enough: at its heap limit V8 ends the whole process if one
 * allocation exceeds the rest of the heap. `script` calls `serveJobs`. It inherits no environment, and so no API key.
 *
 * `Sent` and `Received` are the messages of a job to its parent and back. Most jobs have none.
 */
export class JobProcess<Job extends object, Answer, Sent = never, Received = never> {
  readonly #process;
  #onMessage: (message: Sent) => void = () => {};
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
    this.#process.on('message', (message) => {
      // The script of the job is our own.
      const output = message as JobOutput<Answer, Sent>;
      if (output.type === 'message') this.#onMessage(output.message);
      else this.#end({ type: 'answered', answer: output.answer });
    });
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

  /** One job at a time. Never rejects. After `timeoutMs` the process is killed. `onMessage` gets the messages of the job. */
  run(job: Job, timeoutMs: number, onMessage: (message: Sent) => void = () => {}): Promise<JobOutcome<Answer>> {
    return new Promise((resolve) => {
      if (this.#isOver) {
        resolve({ type: 'failed' });
        return;
      }
      const timer = setTimeout(() => this.#kill({ type: 'too_long' }), timeoutMs);
      this.#onMessage = onMessage;
      this.#end = (outcome) => {
        clearTimeout(timer);
        this.#end = () => {};
        this.#onMessage = () => {};
        resolve(outcome);
      };
      // If sending fails the process has exited, and its exit event follows.
      this.#send({ type: 'job', job });
    });
  }

  /** Sends a message to the running job. Without effect once the process is over. */
  post(message: Received): void {
    if (!this.#isOver) this.#send({ type: 'message', message });
  }

  /** Ends the process at once. A running job fails. */
  end(): void {
    this.#kill({ type: 'failed' });
  }

  #send(input: JobInput<Job, Received>): void {
    this.#process.send(input, () => {});
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

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface BenchProcessOptions {
  readonly env?: Record<string, string>;
  readonly execArgv?: readonly string[];
  /** File descriptor for its standard output. Default: that of this process. */
  readonly stdout?: number;
}

/** A child process of a benchmark. Commands and notices pass over IPC. */
export class BenchProcess<Command extends object, Notice extends { readonly type: string }> {
  readonly process: ChildProcess;
  readonly #name: string;

  constructor(url: URL, { env, execArgv = [], stdout }: BenchProcessOptions = {}) {
    this.#name = url.pathname.split('/').at(-1) ?? '';
    this.process = fork(url, [], {
      execArgv: [...execArgv],
      env: { PATH: process.env.PATH, ...env },
      // JSON has no NaN, the value of times that were not measured.
      serialization: 'advanced',
      stdio: ['ignore', stdout ?? 'inherit', 'inherit', 'ipc'],
    });
  }

  send(command: Command): void {
    this.process.send(command);
  }

  /** The next notice of a type. Rejects if the process ends before it. */
  nextNotice<T extends Notice['type']>(type: T): Promise<Extract<Notice, { type: T }>> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${this.#name} ended with ${code} before «${type}»`));
      const onMessage = (notice: Notice) => {
        if (!isOf(notice, type)) return;
        this.process.off('message', onMessage);
        this.process.off('exit', onExit);
        resolve(notice);
      };
      this.process.once('exit', onExit);
      this.process.on('message', onMessage);
    });
  }

  /** Sends a command and waits for the notice of this type. */
  request<T extends Notice['type']>(command: Command, type: T): Promise<Extract<Notice, { type: T }>> {
    const answer = this.nextNotice(type);
    this.send(command);
    return answer;
  }

  /** Sends SIGTERM and waits for the exit. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await exit;
  }
}

function isOf<Notice extends { readonly type: string }, T extends Notice['type']>(
  notice: Notice,
  type: T,
): notice is Extract<Notice, { type: T }> {
  return notice.type === type;
}

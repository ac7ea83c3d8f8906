import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** `trunkline chat` in a separate process, with pipes instead of a terminal. */
export class ChatProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  #output = '';
  #errors = '';
  #wake: () => void = () => {};

  constructor(args: readonly string[], environment: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [join(ROOT, 'src/cli.ts'), 'chat', ...args], {
      // A folder without a `.env` of the developer.
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    });
    this.#exited = once(this.#child, 'exit');
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString('utf8');
      this.#wake();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString('utf8');
    });
  }

  get output(): string {
    return this.#output;
  }

  get errors(): string {
    return this.#errors;
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Ends the input after `text`. */
  end(text = ''): void {
    this.#child.stdin.end(text);
  }

  /** Closes the reading end of the process's output. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async until(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      this.#wake = wake;
      await Promise.race([promise, this.#exited]);
      if (this.#child.exitCode !== null && !this.#output.includes(text)) {
        throw new Error(`the process ended without «${text}»:\n${this.#output}${this.#errors}`);
      }
    }
  }

  /** Resolves with the exit status; null if a signal ended the process. */
  async status(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }
}

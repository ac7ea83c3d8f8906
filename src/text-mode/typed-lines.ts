import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Lines that were typed ahead, or that a pipe has sent; past them reading rests. */
const WAITING_MAX = 1_000;

export interface TypedLinesOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Where the prompt and what is typed are shown, on a terminal. */
  readonly output: Writable;
  readonly prompt: string;
  /** Ctrl-C in a terminal, which reaches a program that reads key by key as a key. */
  readonly onInterrupt: () => void;
}

/** What the user types, line by line, in their own time. */
export class TypedLines {
  readonly isTerminal: boolean;
  readonly #interface: Interface;
  readonly #waiting: string[] = [];
  readonly #output: Writable;
  #closed = false;
  #isAsking = false;
  #wake: () => void = () => {};

  constructor({ input, output, prompt, onInterrupt }: TypedLinesOptions) {
    this.isTerminal = input.isTTY === true;
    this.#output = output;
    this.#interface = createInterface({
      input,
      terminal: this.isTerminal,
      prompt,
      ...(this.isTerminal && { output }),
    });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('SIGINT', onInterrupt);
    this.#interface.on('close', () => this.#end());
  }

  /** Null: there is none and there will be none. */
  async next(): Promise<string | null> {
    if (this.#waiting.length === 0 && !this.#closed) {
      if (this.isTerminal) this.#interface.prompt(true);
      this.#isAsking = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#isAsking = false;
    }
    const line = this.#waiting.shift();
    if (!this.#closed && this.#waiting.length === WAITING_MAX - 1) this.#interface.resume();
    return line ?? null;
  }

  /** What was typed and not asked for is forgotten, and `next` answers null. */
  drop(): void {
    this.#waiting.length = 0;
    this.#interface.close();
  }

  #take(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length >= WAITING_MAX) this.#interface.pause();
    this.#wake();
  }

  #end(): void {
    this.#closed = true;
    // What follows stands on a line of its own, not behind the prompt.
    if (this.isTerminal && this.#isAsking) this.#output.write('\n');
    this.#wake();
  }
}

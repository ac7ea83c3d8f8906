import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Lines that were typed ahead, or that a pipe has sent; past them reading rests. */
const WAITING_MAX = 1_000;

type TerminalOutput = Writable & { readonly columns?: number };

export interface TypedLinesOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Where the prompt and what is typed are shown, on a terminal. */
  readonly output: TerminalOutput;
  readonly prompt: string;
  /** Ctrl-C in a terminal, which reaches a program that reads key by key as a key. */
  readonly onInterrupt: () => void;
}

export interface TypedLine {
  readonly text: string;
  /** It stands on the screen behind its prompt, as it was typed. */
  readonly shown: boolean;
}

/** What the user types, line by line, in their own time. What they type while they are not asked is not shown yet. */
export class TypedLines {
  readonly #interface: Interface;
  readonly #echo: Echo | null;
  readonly #waiting: TypedLine[] = [];
  #closed = false;
  #wake: () => void = () => {};

  constructor({ input, output, prompt, onInterrupt }: TypedLinesOptions) {
    const terminal = input.isTTY === true;
    this.#echo = terminal ? new Echo(output) : null;
    this.#interface = createInterface({ input, terminal, prompt, ...(this.#echo !== null && { output: this.#echo }) });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('SIGINT', onInterrupt);
    this.#interface.on('close', () => this.#end());
  }

  /** Null: there is none and there will be none. */
  async next(): Promise<TypedLine | null> {
    if (this.#waiting.length === 0 && !this.#closed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      this.#ask();
      await promise;
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

  #ask(): void {
    if (this.#echo === null) return;
    this.#echo.open = true;
    // With what has been typed of the line already.
    this.#interface.prompt(true);
  }

  #take(text: string): void {
    this.#waiting.push({ text, shown: this.#echo?.open === true });
    if (this.#echo !== null) this.#echo.open = false;
    if (this.#waiting.length >= WAITING_MAX) this.#interface.pause();
    this.#wake();
  }

  #end(): void {
    this.#closed = true;
    // What follows stands on a line of its own, not behind the prompt.
    if (this.#echo?.open === true) this.#echo.write('\n');
    this.#wake();
  }
}

/** The terminal as the line editor sees it: it shows nothing while other things are written there. */
class Echo extends Writable {
  open = false;
  readonly #output: TerminalOutput;

  constructor(output: TerminalOutput) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on('resize', () => this.emit('resize'));
  }

  /** The line editor wraps at the terminal's width. */
  get columns(): number | undefined {
    return this.#output.columns;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.open) this.#output.write(chunk);
    done();
  }
}

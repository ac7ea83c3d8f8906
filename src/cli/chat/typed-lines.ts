import { createInterface, type Interface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Buffered lines, typed ahead or from a pipe. At the limit reading pauses. */
const WAITING_MAX = 1_000;

type TerminalOutput = Writable & { readonly columns?: number };

export interface TypedLinesOptions {
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Shows the prompt and the typed text on a terminal. */
  readonly output: TerminalOutput;
  readonly prompt: string;
  /** Called for Ctrl-C, which arrives as a key in raw mode. */
  readonly onInterrupt: () => void;
}

export interface TypedLine {
  readonly text: string;
  /** The line is on the screen after its prompt. */
  readonly shown: boolean;
}

/** Reads typed lines. Text typed while no prompt is shown is not displayed yet. */
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

  /** null: the end of the input. */
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

  /** Discards buffered lines. `next` resolves to null. */
  drop(): void {
    this.#waiting.length = 0;
    this.#interface.close();
  }

  #ask(): void {
    if (this.#echo === null) return;
    this.#echo.open = true;
    // Together with the part of the line that was already typed.
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
    // Later output starts on a new line, not after the prompt.
    if (this.#echo?.open === true) this.#echo.write('\n');
    this.#wake();
  }
}

/** The output of the line editor. It is muted while other text is written. */
class Echo extends Writable {
  open = false;
  readonly #output: TerminalOutput;

  constructor(output: TerminalOutput) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on('resize', () => this.emit('resize'));
  }

  /** The line editor wraps at this width. */
  get columns(): number | undefined {
    return this.#output.columns;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (this.open) this.#output.write(chunk);
    done();
  }
}

import { printable, printableLines } from '../../../base/text/printable.ts';
import type { ConsoleLineKind } from '../../text-call/console-line.ts';

/** Output of a screen: a terminal, a pipe, or a collector in tests. */
export interface ScreenOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

const LABELS: Readonly<Record<ConsoleLineKind, string>> = {
  agent: 'agent',
  user: 'user',
  digits: 'digits',
  state: 'state',
  tool: 'tool',
  variable: 'var',
  note: 'note',
  end: 'end',
};
const LABEL_WIDTH = 8;

/** SGR parameters (ECMA-48 §8.3.117). */
const COLOURS: Readonly<Record<ConsoleLineKind, string>> = {
  agent: '32',
  user: '36',
  digits: '36',
  state: '35',
  tool: '33',
  variable: '34',
  note: '31',
  end: '1',
};
const FAINT = '2';

/** Colours are used on a terminal only, and not with NO_COLOR (no-color.org). */
export function wantsColour(output: ScreenOutput, environment: Readonly<Record<string, string | undefined>>): boolean {
  return output.isTTY === true && (environment.NO_COLOR ?? '') === '';
}

/** A call as lines of text: a label and an event, which are printable. */
export class Screen {
  readonly #output: ScreenOutput;
  readonly #colour: boolean;
  readonly #indent: string;
  /** The line that is still open: agent speech arrives sentence by sentence. */
  #isOpen = false;

  constructor(output: ScreenOutput, colour: boolean, indent = '') {
    this.#output = output;
    this.#colour = colour;
    this.#indent = indent;
  }

  line(kind: ConsoleLineKind, text: string): void {
    this.begin(kind, text);
    this.endLine();
  }

  /** The line stays open for `append`. */
  begin(kind: ConsoleLineKind, text: string): void {
    this.endLine();
    this.#output.write(`${this.#indent}${this.label(kind)}${this.#coloured(COLOURS[kind], onOneLine(text))}`);
    this.#isOpen = true;
  }

  /** Continues the open line, or a new one if another line has followed. */
  append(kind: ConsoleLineKind, text: string): void {
    if (this.#isOpen) this.#output.write(this.#coloured(COLOURS[kind], onOneLine(text)));
    else this.begin(kind, text.trimStart());
  }

  endLine(): void {
    if (this.#isOpen) this.#output.write('\n');
    this.#isOpen = false;
  }

  /** Text without a label, which may have several lines. */
  plain(text: string): void {
    this.endLine();
    this.#output.write(`${this.#coloured(FAINT, printableLines(text))}\n`);
  }

  label(kind: ConsoleLineKind): string {
    return this.#coloured(FAINT, LABELS[kind].padEnd(LABEL_WIDTH));
  }

  #coloured(code: string, text: string): string {
    return this.#colour && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

/** The line breaks of a model are blanks. */
function onOneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '));
}

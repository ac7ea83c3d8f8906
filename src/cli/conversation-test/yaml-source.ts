import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** What is wrong with a file of tests, one fault a line, from top to bottom: `FILE:LINE:COLUMN: field: what was expected`. */
export class TestFileError extends Error {
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'TestFileError';
  }
}

/** Names and indexes, from the top. */
export type Path = readonly (string | number)[];
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Aliases that a file may resolve: far more than a person writes, far less than harms. */
const ALIASES_MAX = 100;
/** The message of a field that nobody knows. */
export const UNKNOWN_FIELD = 'unknown field';

/** One YAML document that knows where each of its values stands. */
export class YamlSource {
  readonly value: unknown;
  readonly #path: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws {TestFileError} where the text is no YAML. */
  constructor(path: string, text: string) {
    this.#path = path;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const faults = [...this.#document.errors, ...this.#document.warnings];
    if (faults.length > 0) {
      throw new TestFileError(faults.map(({ pos, message }) => `${this.#place(pos[0])}: this is no YAML: ${message}`));
    }
    try {
      this.value = this.#document.toJS({ maxAliasCount: ALIASES_MAX });
    } catch (error) {
      throw new TestFileError([`${path}: ${error instanceof Error ? error.message : String(error)}`]);
    }
  }

  error(faults: readonly Fault[]): TestFileError {
    const placed = faults
      .filter((fault) => !follows(fault, faults))
      .map(({ path, message }) => {
        const field = fieldOf(path);
        return { offset: this.#offsetOf(path), text: `${field === '' ? '' : `${field}: `}${message}` };
      });
    placed.sort((a, b) => a.offset - b.offset);
    return new TestFileError(placed.map(({ offset, text }) => `${this.#place(offset)}: ${text}`));
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#path}:${line}:${col}`;
  }

  /** Where the value stands, or its name where it has one; of what is missing, where it would belong. */
  #offsetOf(path: Path): number {
    let node: unknown = this.#document.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (const part of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (pair === undefined) return offset;
        offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
        if (!isNode(node)) return offset;
        offset = node.range?.[0] ?? offset;
      } else return offset;
    }
    return offset;
  }
}

/** What is missed at a place where a name is misspelt is, most likely, what that name was meant to be. */
function follows({ path }: Fault, faults: readonly Fault[]): boolean {
  return faults.some(
    (other) => other.message === UNKNOWN_FIELD && fieldOf(other.path.slice(0, -1)) === fieldOf(path) && path.length > 0,
  );
}

function fieldOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** A fault at its place in a test file. */
export interface PlacedFault {
  /** From 1. null: the file as a whole. */
  readonly line: number | null;
  readonly column: number | null;
  /** Path of the field, for example `conversations[0].turns[1]`; empty for the whole file. */
  readonly field: string;
  readonly message: string;
}

/** Faults of a test file, one per line from top to bottom: `FILE:LINE:COLUMN: field: expectation`. */
export class TestFileError extends Error {
  readonly faults: readonly PlacedFault[];

  constructor(path: string, faults: readonly PlacedFault[]) {
    super(faults.map((fault) => lineOf(path, fault)).join('\n'));
    this.name = 'TestFileError';
    this.faults = faults;
  }
}

function lineOf(path: string, { line, column, field, message }: PlacedFault): string {
  const place = line === null ? path : `${path}:${line}:${column ?? 1}`;
  return `${place}: ${field === '' ? '' : `${field}: `}${message}`;
}

/** Path of names and indexes from the root. */
export type Path = readonly (string | number)[];
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Maximum number of resolved aliases: far more than a person writes, and harmless. */
const ALIASES_MAX = 100;
/** Message for an unknown field. */
export const UNKNOWN_FIELD = 'unknown field';

/** A YAML document with the positions of its values. */
export class YamlSource {
  readonly value: unknown;
  readonly #path: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws {TestFileError} if the text is not YAML */
  constructor(path: string, text: string) {
    this.#path = path;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const faults = [...this.#document.errors, ...this.#document.warnings];
    if (faults.length > 0) {
      throw new TestFileError(
        path,
        faults.map(({ pos, message }) => this.#placed(pos[0], '', `invalid YAML: ${message}`)),
      );
    }
    try {
      this.value = this.#document.toJS({ maxAliasCount: ALIASES_MAX });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new TestFileError(path, [{ line: null, column: null, field: '', message }]);
    }
  }

  error(faults: readonly Fault[]): TestFileError {
    const placed = faults
      .filter((fault) => !follows(fault, faults))
      .map(({ path, message }) => ({ offset: this.#offsetOf(path), field: fieldOf(path), message }));
    placed.sort((a, b) => a.offset - b.offset);
    return new TestFileError(
      this.#path,
      placed.map(({ offset, field, message }) => this.#placed(offset, field, message)),
    );
  }

  #placed(offset: number, field: string, message: string): PlacedFault {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col, field, message };
  }

  /** Position of the value or its name. For a missing value, the position of its parent. */
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

/** A missing field beside an unknown one is most likely the unknown one, misspelt. */
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

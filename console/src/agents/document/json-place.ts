import type { DocumentPath } from './document-edit.ts';
import { type JsonToken, jsonTokens, tokenValue } from './json-tokens.ts';

/** A place of a text that is perhaps half typed. */
export interface JsonPlace {
  /** Whether a name of a field stands or belongs there, or a value. */
  readonly kind: 'field' | 'value';
  /** The object that has the field, or the place of the value. */
  readonly path: DocumentPath;
  /** The part of the text that is being written: a string, a word or nothing. */
  readonly from: number;
  readonly to: number;
  /** Whether the name already has its colon. */
  readonly hasColon: boolean;
  /** As much of the document as can be read. */
  readonly document: unknown;
}

/** An object or list that is being read. */
interface Frame {
  readonly value: Record<string, unknown> | unknown[];
  /** The name of the field whose value follows; null: a name follows. */
  key: string | null;
  /** Whether the value of the field or element has been read: a comma is to follow. */
  isComplete: boolean;
}

/**
 * Reads a text that is perhaps half typed, and the place at an offset in it. Commas and colons may be missing: a string behind a complete
 * value begins the next field.
 */
export function jsonPlaceAt(content: string, offset: number): JsonPlace | null {
  const reader = new Reader();
  let place: Omit<JsonPlace, 'document'> | null = null;
  const tokens = jsonTokens(content);
  for (const [at, token] of tokens.entries()) {
    if (place === null && token.from >= offset && !isWritten(token, offset)) {
      place = reader.placeOf({ from: offset, to: offset, hasColon: token.kind === ':' });
    }
    if (place === null && isWritten(token, offset)) {
      const hasColon = tokens[at + 1]?.kind === ':';
      place = reader.placeOf({ from: token.from, to: token.to, hasColon });
    }
    reader.read(token, tokens[at + 1]?.kind === ':');
  }
  place ??= reader.placeOf({ from: offset, to: offset, hasColon: false });
  return place === null ? null : { ...place, document: reader.document };
}

/** Whether the offset is in or directly behind a string or word. Behind the closing quote, the string is finished. */
function isWritten({ from, kind, text, to }: JsonToken, offset: number): boolean {
  const isClosed = kind === 'string' && text.length > 1 && text.endsWith('"');
  return (kind === 'string' || kind === 'literal') && from < offset && (isClosed ? offset < to : offset <= to);
}

class Reader {
  readonly #open: Frame[] = [];
  document: unknown = null;

  placeOf(written: Pick<JsonPlace, 'from' | 'to' | 'hasColon'>): Omit<JsonPlace, 'document'> | null {
    const frame = this.#open.at(-1);
    if (frame === undefined) return null;
    const outer = this.#open
      .slice(0, -1)
      .map(({ key, value }) => (Array.isArray(value) ? value.length - 1 : (key ?? '')));
    if (Array.isArray(frame.value)) return { kind: 'value', path: [...outer, frame.value.length], ...written };
    if (frame.key === null || frame.isComplete) return { kind: 'field', path: outer, ...written };
    return { kind: 'value', path: [...outer, frame.key], ...written };
  }

  read(token: JsonToken, isBeforeColon: boolean): void {
    const frame = this.#open.at(-1);
    switch (token.kind) {
      case '{':
      case '[':
        this.#begin(token.kind === '[');
        break;
      case '}':
      case ']':
        this.#open.pop();
        this.#complete();
        break;
      case ',':
        this.#next(frame);
        break;
      case 'string':
      case 'literal':
        if (
          frame !== undefined &&
          !Array.isArray(frame.value) &&
          (frame.key === null || frame.isComplete || isBeforeColon)
        ) {
          frame.key = isBeforeColon ? String(tokenValue(token) ?? '') : null;
          frame.isComplete = false;
        } else this.#put(tokenValue(token));
        break;
      case ':':
      case 'other':
    }
  }

  #begin(isList: boolean): void {
    const value = isList ? [] : {};
    const place = this.#open.at(-1);
    if (place?.isComplete === true) this.#next(place);
    this.#store(value);
    this.#open.push({ value, key: null, isComplete: false });
  }

  #put(value: unknown): void {
    this.#store(value);
    this.#complete();
  }

  #store(value: unknown): void {
    const frame = this.#open.at(-1);
    if (frame === undefined) this.document = value;
    else if (Array.isArray(frame.value)) frame.value.push(value);
    else if (frame.key !== null) {
      Object.defineProperty(frame.value, frame.key, { value, enumerable: true, configurable: true, writable: true });
    }
  }

  #complete(): void {
    const frame = this.#open.at(-1);
    if (frame !== undefined) frame.isComplete = true;
  }

  #next(frame: Frame | undefined): void {
    if (frame === undefined) return;
    frame.key = null;
    frame.isComplete = false;
  }
}

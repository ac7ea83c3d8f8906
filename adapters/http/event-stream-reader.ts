/** One event of an event stream. */
export interface ServerSentEvent {
  /** `message` where the stream names none. */
  readonly type: string;
  /** The data lines with `\n` between them. */
  readonly data: string;
}

/** Bytes of one line. A provider's longest event repeats its whole answer, or the request's functions. */
export const LINE_BYTES_MAX = 1024 * 1024;
/** Characters of one event's data, over all of its lines. */
export const EVENT_CHARACTERS_MAX = 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Reads an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html, «Parsing an event stream»).
 * Lines are cut in the bytes and decoded whole, so no chunking can split a character: neither CR nor LF is ever a part
 * of one in UTF-8. An event without the blank line behind it was cut off and is not told.
 */
export class EventStreamReader {
  readonly #emit: (event: ServerSentEvent) => void;
  /** Of the line under way, from earlier chunks. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #isAfterCr = false;
  #isFirstLine = true;
  #isBroken = false;
  #type = '';
  #data: string | undefined;

  constructor(emit: (event: ServerSentEvent) => void) {
    this.#emit = emit;
  }

  /** False: a bound is passed, and nothing more is read. The bytes are not kept as they are: `chunk` is the caller's. */
  push(chunk: Uint8Array): boolean {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let at = 0; at < bytes.length && !this.#isBroken; at++) {
      const byte = bytes[at];
      if (this.#isAfterCr) {
        this.#isAfterCr = false;
        if (byte === LF) {
          start = at + 1;
          continue;
        }
      }
      if (byte !== LF && byte !== CR) continue;
      this.#line(bytes.subarray(start, at));
      this.#isAfterCr = byte === CR;
      start = at + 1;
    }
    this.#keep(bytes.subarray(start));
    return !this.#isBroken;
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#pieceBytes += rest.length;
    if (this.#pieceBytes > LINE_BYTES_MAX) this.#break();
    else this.#pieces.push(Buffer.from(rest));
  }

  #line(end: Buffer): void {
    if (this.#pieceBytes + end.length > LINE_BYTES_MAX) {
      this.#break();
      return;
    }
    const whole = this.#pieceBytes === 0 ? end : Buffer.concat([...this.#pieces, end]);
    this.#pieces = [];
    this.#pieceBytes = 0;
    if (whole.length === 0) {
      this.#dispatch();
      return;
    }
    let line = whole.toString('utf8');
    if (this.#isFirstLine && line.charCodeAt(0) === 0xfeff) line = line.slice(1);
    this.#isFirstLine = false;
    if (line === '') this.#dispatch();
    else this.#field(line);
  }

  /** `id` and `retry` belong to reconnection, which a request with a body has none of. */
  #field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const from = line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1;
    const value = colon === -1 ? '' : line.slice(from);
    if (name === 'event') this.#type = value;
    if (name !== 'data') return;
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    if (this.#data.length > EVENT_CHARACTERS_MAX) this.#break();
  }

  #dispatch(): void {
    const type = this.#type || 'message';
    const data = this.#data;
    this.#type = '';
    this.#data = undefined;
    this.#isFirstLine = false;
    if (data !== undefined) this.#emit({ type, data });
  }

  #break(): void {
    this.#isBroken = true;
    this.#pieces = [NOTHING];
    this.#pieceBytes = 0;
    this.#data = undefined;
  }
}

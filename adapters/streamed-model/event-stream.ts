/** An event of a stream; its name is empty if the server gives none. */
export interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/g;
const FIELD = /^([^:]*):? ?(.*)$/s;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Parses an event stream, piece by piece, in time linear in its length. The connection pool bounds the length
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 *
 *     event: message_start      a name, absent with most providers
 *     data: {"type":…}          lines of data are joined
 *                               an empty line ends the event; lines end with LF, CR LF or CR
 */
export class EventStreamParser {
  readonly #take: (event: ServerSentEvent) => void;
  /** The line that has not ended. */
  #rest = '';
  #name = '';
  #data: string | null = null;
  /** A line ended with CR: an LF that follows is part of its end. */
  #endedWithCr = false;
  #isBegun = false;

  constructor(take: (event: ServerSentEvent) => void) {
    this.#take = take;
  }

  push(piece: string): void {
    if (piece === '') return;
    const isSkipped = this.#isBegun ? this.#endedWithCr && piece.startsWith('\n') : piece.startsWith(BYTE_ORDER_MARK);
    const text = isSkipped ? piece.slice(1) : piece;
    this.#isBegun = true;
    this.#endedWithCr = text.endsWith('\r');
    let from = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const line = this.#rest + text.slice(from, index);
      from = index + end.length;
      this.#rest = '';
      this.#line(line);
    }
    this.#rest += text.slice(from);
  }

  /** The stream has ended: some servers leave out the last empty line. */
  end(): void {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
    this.#line('');
  }

  #line(line: string): void {
    if (line === '') {
      const data = this.#data;
      const name = this.#name;
      this.#data = null;
      this.#name = '';
      if (data !== null) this.#take({ name, data });
      return;
    }
    const [, field, value = ''] = FIELD.exec(line) ?? [];
    if (field === 'data') this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    else if (field === 'event') this.#name = value;
  }
}

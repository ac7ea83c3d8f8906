import { createParser } from 'eventsource-parser';

/** One event of an event stream. */
export interface ServerSentEvent {
  /** `message` if the stream names none. */
  readonly type: string;
  /** The data lines, joined by `\n`. */
  readonly data: string;
}

/** A longer event fails the stream. A provider's longest event repeats its whole answer, or the request's functions. */
export const EVENT_CHARACTERS_MAX = 1024 * 1024;

/**
 * Reads an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html) from bytes. An event without the
 * blank line after it was cut off and is not emitted. `id` and `retry` are ignored: they serve reconnection, and a POST is
 * not repeated.
 */
export class EventStreamReader {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser = createParser({
    onEvent: ({ event, data }) => this.#take(event, data),
    onComment: () => {
      this.#pendingBytes = 0;
    },
  });
  readonly #emit: (event: ServerSentEvent) => void;
  /** Bytes since the last event or comment. */
  #pendingBytes = 0;
  #isBroken = false;

  constructor(emit: (event: ServerSentEvent) => void) {
    this.#emit = emit;
  }

  /** False once an event is too long; nothing more is read then. `chunk` may be overwritten afterwards. */
  push(chunk: Uint8Array): boolean {
    if (this.#isBroken) return false;
    this.#pendingBytes += chunk.length;
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    if (this.#pendingBytes > EVENT_CHARACTERS_MAX) this.#isBroken = true;
    return !this.#isBroken;
  }

  #take(type: string | undefined, data: string): void {
    this.#pendingBytes = 0;
    if (data.length >= EVENT_CHARACTERS_MAX) this.#isBroken = true;
    if (!this.#isBroken) this.#emit({ type: type ?? 'message', data });
  }
}

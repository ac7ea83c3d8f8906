import { endOfHeaders, readContentLength, readHeaderSection } from './header-section.ts';
import { MESSAGE_BYTES_MAX } from './parse-message.ts';

export type StreamEvent =
  | { readonly type: 'message'; readonly bytes: Uint8Array }
  /** A double CRLF (RFC 5626 §4.4.1), to be answered with a CRLF. */
  | { readonly type: 'ping' }
  /** The rest of the stream cannot be split: close it. The last event. */
  | { readonly type: 'fault'; readonly fault: string };

const INITIAL_BYTES = 4_096;

/**
 * Splits a TCP byte stream into messages (RFC 3261 §18.3). Buffers at most one message of `MESSAGE_BYTES_MAX` bytes; a
 * longer message is a fault.
 */
export class StreamFramer {
  #buffer = new Uint8Array(INITIAL_BYTES);
  #used = 0;
  /** Bytes of the current message that were already searched for the end of its headers. */
  #searched = 0;
  /** Length of the current message, once its headers are complete. */
  #expected: number | null = null;
  #failed = false;

  push(chunk: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let at = 0; at < chunk.length && !this.#failed; ) {
      const piece = chunk.subarray(at, at + MESSAGE_BYTES_MAX + 1 - this.#used);
      this.#append(piece);
      at += piece.length;
      this.#drain(events);
      if (!this.#failed && this.#used > MESSAGE_BYTES_MAX) this.#fail(events, `more than ${MESSAGE_BYTES_MAX} bytes`);
    }
    return events;
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.#used));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#used);
    this.#used = needed;
  }

  /** Removes all complete messages from the buffer and moves the rest to its front. */
  #drain(events: StreamEvent[]): void {
    let start = 0;
    while (!this.#failed) {
      const separator = this.#expected === null ? this.#separatorAt(start) : 'none';
      if (separator === 'wait') break;
      if (separator !== 'none') {
        if (separator === 'ping') events.push({ type: 'ping' });
        start += separator === 'ping' ? 4 : 2;
        continue;
      }
      const length = this.#messageLength(start, events);
      if (length === null || this.#used - start < length) break;
      events.push({ type: 'message', bytes: this.#buffer.slice(start, start + length) });
      start += length;
      this.#expected = null;
      this.#searched = 0;
    }
    if (start === 0) return;
    this.#buffer.copyWithin(0, start, this.#used);
    this.#used -= start;
  }

  /** The separator at this offset: a double CRLF, a single one, or none. `wait`: more bytes are needed. */
  #separatorAt(start: number): 'ping' | 'crlf' | 'none' | 'wait' {
    const crlfCrlf = [0x0d, 0x0a, 0x0d, 0x0a];
    for (const [offset, byte] of crlfCrlf.entries()) {
      if (start + offset >= this.#used) return 'wait';
      if (this.#buffer[start + offset] !== byte) return offset >= 2 ? 'crlf' : 'none';
    }
    return 'ping';
  }

  #messageLength(start: number, events: StreamEvent[]): number | null {
    if (this.#expected !== null) return this.#expected;
    const bytes = this.#buffer.subarray(start, this.#used);
    const bodyStart = endOfHeaders(bytes, this.#searched);
    if (bodyStart < 0) {
      this.#searched = Math.max(0, bytes.length - 3);
      return null;
    }
    const length = readContentLength(readHeaderSection(bytes.subarray(0, bodyStart)).headers);
    if (length === null) return this.#fail(events, 'no Content-Length');
    if (typeof length !== 'number') return this.#fail(events, length.fault);
    if (bodyStart + length > MESSAGE_BYTES_MAX) return this.#fail(events, `more than ${MESSAGE_BYTES_MAX} bytes`);
    this.#expected = bodyStart + length;
    return this.#expected;
  }

  #fail(events: StreamEvent[], fault: string): null {
    this.#failed = true;
    this.#buffer = new Uint8Array(0);
    this.#used = 0;
    events.push({ type: 'fault', fault });
    return null;
  }
}

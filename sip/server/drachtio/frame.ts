/**
 * A frame of drachtio's protocol: `<length>#<payload>`, the length in bytes of UTF-8. The payload is `<uuid>|<type>|…`,
 * followed by `\r\n<raw SIP message>` if it carries one.
 */
export type FrameEvent =
  | { readonly type: 'frame'; readonly payload: string }
  /** The rest of the stream cannot be split: close it. The last event. */
  | { readonly type: 'fault'; readonly fault: string };

/** Digits of a length before `#`. */
const LENGTH_DIGITS_MAX = 7;

const HASH = 0x23;

export function encodeFrame(payload: string): Buffer {
  const bytes = Buffer.from(payload, 'utf8');
  return Buffer.concat([Buffer.from(`${bytes.length}#`, 'latin1'), bytes]);
}

/** Splits the application's byte stream into frames. Buffers at most one frame. */
export class FrameDecoder {
  #buffer: Buffer = Buffer.alloc(0);
  #failed = false;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** @param bytesMax the longest accepted payload; may differ between chunks. */
  push(chunk: Uint8Array, bytesMax: number): FrameEvent[] {
    if (this.#failed) return [];
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#buffer, chunk]);
    const events: FrameEvent[] = [];
    let start = 0;
    while (!this.#failed && start < this.#buffer.length) {
      const decodedBytes = this.#decodeFrame(start, bytesMax, events);
      if (decodedBytes === 0) break;
      start += decodedBytes;
    }
    this.#buffer = this.#failed ? Buffer.alloc(0) : this.#buffer.subarray(start);
    return events;
  }

  /** @returns the number of decoded bytes; 0 if more are needed. */
  #decodeFrame(start: number, bytesMax: number, events: FrameEvent[]): number {
    const hash = this.#buffer.indexOf(HASH, start);
    const digits = this.#buffer.toString('latin1', start, hash < 0 ? start + LENGTH_DIGITS_MAX + 1 : hash);
    if (!/^\d*$/.test(digits) || digits.length > LENGTH_DIGITS_MAX) return this.#fail(events, 'no length');
    if (hash < 0) return 0;
    const length = Number(digits);
    if (digits === '' || length === 0) return this.#fail(events, 'no length');
    if (length > bytesMax) return this.#fail(events, `longer than ${bytesMax} bytes`);
    const end = hash + 1 + length;
    if (end > this.#buffer.length) return 0;
    const payload = this.#decodeText(this.#buffer.subarray(hash + 1, end));
    if (payload === null) return this.#fail(events, 'not UTF-8');
    events.push({ type: 'frame', payload });
    return end - start;
  }

  #decodeText(bytes: Uint8Array): string | null {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return null;
    }
  }

  #fail(events: FrameEvent[], fault: string): 0 {
    this.#failed = true;
    events.push({ type: 'fault', fault });
    return 0;
  }
}

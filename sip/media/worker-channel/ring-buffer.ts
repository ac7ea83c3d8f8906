import { type AudioFrame, FRAME_HEADER_BYTES, readFrameHeader, writeFrameHeader } from './audio-frame.ts';

/** One cache line per index, so that the two threads do not contend for the same line. */
const INDEX_STRIDE_WORDS = 16;
const WRITE = 0;
const READ = INDEX_STRIDE_WORDS;
const DROPPED = 2 * INDEX_STRIDE_WORDS;
const INDEX_BYTES = 3 * INDEX_STRIDE_WORDS * 4;

/**
 * A ring buffer of frames in shared memory, with one producing and one consuming thread. Each thread has its own object
 * over the same bytes. Indices count bytes modulo 2^32. A frame is complete before the store of the write index
 * publishes it, and its space is free after the store of the read index.
 *
 * When full, a ring either refuses frames (`push`, consumed by `peek`, `copy` and `shift`) or drops its oldest frames
 * (`pushOverOldest`, consumed by `take`). Each ring is used in only one of the two ways.
 */
export class RingBuffer {
  readonly capacity: number;
  readonly #indices: Int32Array;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #mask: number;

  /** Bytes of shared memory for a ring of this capacity; a multiple of 64. */
  static byteLength(capacity: number): number {
    return INDEX_BYTES + capacity;
  }

  /**
   * @param capacity of frames with their headers, in bytes: a power of two, 64 at least
   * @throws RangeError for any other capacity
   */
  constructor(memory: SharedArrayBuffer, byteOffset: number, capacity: number) {
    if (capacity < 64 || capacity > 2 ** 30 || (capacity & (capacity - 1)) !== 0) {
      throw new RangeError(`Ring capacity ${capacity} is not a power of two from 64 to 2^30`);
    }
    this.capacity = capacity;
    this.#mask = capacity - 1;
    this.#indices = new Int32Array(memory, byteOffset, INDEX_BYTES / 4);
    this.#words = new Int32Array(memory, byteOffset + INDEX_BYTES, capacity / 4);
    this.#bytes = new Uint8Array(memory, byteOffset + INDEX_BYTES, capacity);
  }

  /** Bytes in use, with headers and padding. For either thread. */
  get used(): number {
    return (Atomics.load(this.#indices, WRITE) - Atomics.load(this.#indices, READ)) | 0;
  }

  /** Frames that the producer dropped because the consumer was late, modulo 2^32. */
  get dropped(): number {
    return Atomics.load(this.#indices, DROPPED) >>> 0;
  }

  /** The longest payload that fits now; negative if not even a header fits. */
  get room(): number {
    return this.capacity - this.used - FRAME_HEADER_BYTES;
  }

  /** Empties the ring and its counter. Only while neither thread uses it. */
  reset(): void {
    Atomics.store(this.#indices, READ, 0);
    Atomics.store(this.#indices, WRITE, 0);
    Atomics.store(this.#indices, DROPPED, 0);
  }

  /** Producer: writes `frame.length` bytes of `payload`, starting at `from`. False, and nothing written, if full. */
  push(frame: AudioFrame, payload: Uint8Array, from: number): boolean {
    if (this.capacity - this.used < frameBytes(frame.length)) return false;
    this.#publish(frame, payload, from);
    return true;
  }

  /**
   * Producer: writes a frame, drops the oldest frames until it fits, and returns the number of dropped frames. A frame
   * larger than the ring is dropped itself.
   */
  pushOverOldest(frame: AudioFrame, payload: Uint8Array, from: number): number {
    const size = frameBytes(frame.length);
    if (size > this.capacity) return this.#countDrop();
    let dropped = 0;
    const write = Atomics.load(this.#indices, WRITE);
    for (;;) {
      const read = Atomics.load(this.#indices, READ);
      if (this.capacity - ((write - read) | 0) >= size) break;
      // The producer wrote this length itself, so it is not torn. A failed exchange means that the consumer took the frame.
      const oldest = this.#words[(read >>> 2) & (this.#mask >>> 2)] ?? 0;
      if (Atomics.compareExchange(this.#indices, READ, read, (read + frameBytes(oldest)) | 0) === read) {
        dropped += this.#countDrop();
      }
    }
    this.#publish(frame, payload, from);
    return dropped;
  }

  /**
   * Consumer of a ring that drops its oldest frames: copies the next frame and frees its space. False if the ring is
   * empty. If the producer drops the frame during the copy, the exchange fails, and the next frame is copied. A payload
   * longer than `target` is dropped.
   */
  take(frame: AudioFrame, target: Uint8Array): boolean {
    for (;;) {
      const read = Atomics.load(this.#indices, READ);
      const used = (Atomics.load(this.#indices, WRITE) - read) | 0;
      if (used === 0) return false;
      readFrameHeader(this.#words, read >>> 2, this.#mask >>> 2, frame);
      const size = frameBytes(frame.length);
      const sound = frame.length >= 0 && size <= used;
      const fits = sound && frame.length <= target.length;
      if (fits) this.#copyOut(read + FRAME_HEADER_BYTES, target, 0, frame.length);
      // An invalid header was torn by a drop, so the exchange fails. Otherwise all later frames would be unreadable.
      const next = sound ? (read + size) | 0 : (read + used) | 0;
      if (Atomics.compareExchange(this.#indices, READ, read, next) === read && fits) return true;
    }
  }

  /** Consumer of a ring that refuses frames: reads the header of the next frame, which stays in the ring. */
  peek(frame: AudioFrame): boolean {
    if (this.used === 0) return false;
    readFrameHeader(this.#words, Atomics.load(this.#indices, READ) >>> 2, this.#mask >>> 2, frame);
    return true;
  }

  /** Consumer, after `peek`: copies `length` bytes of that frame's payload, starting at `offset`. */
  copy(offset: number, target: Uint8Array, at: number, length: number): void {
    this.#copyOut(Atomics.load(this.#indices, READ) + FRAME_HEADER_BYTES + offset, target, at, length);
  }

  /** Consumer, after `peek` returned true: frees the frame. */
  shift(): void {
    const read = Atomics.load(this.#indices, READ);
    const length = this.#words[(read >>> 2) & (this.#mask >>> 2)] ?? 0;
    Atomics.store(this.#indices, READ, (read + frameBytes(length)) | 0);
  }

  #countDrop(): 1 {
    Atomics.add(this.#indices, DROPPED, 1);
    return 1;
  }

  #publish(frame: AudioFrame, payload: Uint8Array, from: number): void {
    const write = Atomics.load(this.#indices, WRITE);
    writeFrameHeader(this.#words, write >>> 2, this.#mask >>> 2, frame);
    const start = (write + FRAME_HEADER_BYTES) & this.#mask;
    for (let i = 0; i < frame.length; i++) this.#bytes[(start + i) & this.#mask] = payload[from + i] ?? 0;
    Atomics.store(this.#indices, WRITE, (write + frameBytes(frame.length)) | 0);
  }

  #copyOut(start: number, target: Uint8Array, at: number, length: number): void {
    for (let i = 0; i < length; i++) target[at + i] = this.#bytes[(start + i) & this.#mask] ?? 0;
  }
}

/** Header, payload and padding to a whole word. */
export function frameBytes(payloadLength: number): number {
  return FRAME_HEADER_BYTES + ((payloadLength + 3) & ~3);
}

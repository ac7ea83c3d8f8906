import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';

/** If the transcriber fails after a longer time without a final, the start of the turn is lost. */
const BUFFERED_MS_MAX = 30_000;
/** Initial capacity, enough until most finals. It doubles up to the bound. */
const CAPACITY_MS_MIN = 4_000;

/**
 * Ring buffer of the user's audio that a new transcriber stream may need again, addressed by position in the call. At the
 * bound the oldest audio is dropped.
 */
export class UserAudioBuffer {
  #ring = new Uint8Array(0);
  /** Bounds of the buffered bytes, counted from the first byte of the call; `#to` is exclusive. */
  #from = 0;
  #to = 0;
  readonly #format: AudioFormat;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  /** `audio` is copied. */
  add(audio: Uint8Array): void {
    this.#grow(this.#to - this.#from + audio.length);
    const { length } = this.#ring;
    // Audio longer than the ring keeps its end.
    const buffered = audio.subarray(Math.max(0, audio.length - length));
    const at = (this.#to + audio.length - buffered.length) % length;
    const head = buffered.subarray(0, length - at);
    this.#ring.set(head, at);
    this.#ring.set(buffered.subarray(head.length), 0);
    this.#to += audio.length;
    this.#from = Math.max(this.#from, this.#to - length);
  }

  /** Releases the audio before this position. */
  dropBefore(ms: number): void {
    this.#from = this.#byteOf(ms);
  }

  /** The buffered position that is nearest to this one, to the sample. */
  startOf(ms: number): number {
    return durationMs(this.#format, this.#byteOf(ms));
  }

  /** At most `atMostMs` of the buffered audio from a position on. `isAll`: it reaches the last sample. */
  read(
    fromMs: number,
    atMostMs: number,
  ): { readonly audio: Uint8Array; readonly untilMs: number; readonly isAll: boolean } {
    const from = this.#byteOf(fromMs);
    const until = this.#byteOf(fromMs + atMostMs);
    return { audio: this.#copy(from, until), untilMs: durationMs(this.#format, until), isAll: until === this.#to };
  }

  /** The buffered byte that is nearest to a position, at a sample boundary. */
  #byteOf(ms: number): number {
    const byte = Math.round((ms * this.#format.sampleRateHz) / 1000) * bytesPerSample(this.#format);
    return Math.min(Math.max(byte, this.#from), this.#to);
  }

  #copy(from: number, until: number): Uint8Array {
    const audio = new Uint8Array(until - from);
    const { length } = this.#ring;
    if (length === 0) return audio;
    const at = from % length;
    const head = this.#ring.subarray(at, Math.min(length, at + audio.length));
    audio.set(head);
    audio.set(this.#ring.subarray(0, audio.length - head.length), head.length);
    return audio;
  }

  #grow(bytes: number): void {
    const { length } = this.#ring;
    const bytesOf = (ms: number) => ((ms * this.#format.sampleRateHz) / 1000) * bytesPerSample(this.#format);
    const bytesMax = bytesOf(BUFFERED_MS_MAX);
    if (bytes <= length || length === bytesMax) return;
    const buffered = this.#copy(this.#from, this.#to);
    this.#ring = new Uint8Array(Math.min(bytesMax, Math.max(bytes, 2 * length, bytesOf(CAPACITY_MS_MIN))));
    const at = this.#from % this.#ring.length;
    const head = buffered.subarray(0, this.#ring.length - at);
    this.#ring.set(head, at);
    this.#ring.set(buffered.subarray(head.length), 0);
  }
}

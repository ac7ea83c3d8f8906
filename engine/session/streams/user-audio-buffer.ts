import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';

/** A turn that was spoken for longer without one final is lost from its beginning, should the transcriber fail then. */
const KEPT_MS_MAX = 30_000;
/** Room at first; most finals come sooner. It doubles up to the bound. */
const ROOM_MS_MIN = 4_000;

/** The user's audio that may have to be heard again, by its position in the call; past a bound the oldest is dropped. */
export class UserAudioBuffer {
  #ring = new Uint8Array(0);
  /** Absolute, in bytes since the call's first: of the first kept one, and behind the last. */
  #from = 0;
  #to = 0;
  readonly #format: AudioFormat;

  constructor(format: AudioFormat) {
    this.#format = format;
  }

  /** `audio` is copied. */
  add(audio: Uint8Array): void {
    this.#makeRoom(this.#to - this.#from + audio.length);
    const { length } = this.#ring;
    // Of what is longer than the ring its end stays.
    const kept = audio.subarray(Math.max(0, audio.length - length));
    const at = (this.#to + audio.length - kept.length) % length;
    const head = kept.subarray(0, length - at);
    this.#ring.set(head, at);
    this.#ring.set(kept.subarray(head.length), 0);
    this.#to += audio.length;
    this.#from = Math.max(this.#from, this.#to - length);
  }

  /** What ended before this is not asked for again. */
  dropBefore(ms: number): void {
    this.#from = this.#byteOf(ms);
  }

  /** The kept position nearest to this one, to the sample. */
  startOf(ms: number): number {
    return durationMs(this.#format, this.#byteOf(ms));
  }

  /** What is kept from a position on, at most so much. `isAll`: up to the last sample. */
  read(
    fromMs: number,
    atMostMs: number,
  ): { readonly audio: Uint8Array; readonly untilMs: number; readonly isAll: boolean } {
    const from = this.#byteOf(fromMs);
    const until = this.#byteOf(fromMs + atMostMs);
    return { audio: this.#copy(from, until), untilMs: durationMs(this.#format, until), isAll: until === this.#to };
  }

  /** The kept byte nearest to a position, on a whole sample. */
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

  #makeRoom(bytes: number): void {
    const { length } = this.#ring;
    const bytesOf = (ms: number) => ((ms * this.#format.sampleRateHz) / 1000) * bytesPerSample(this.#format);
    const most = bytesOf(KEPT_MS_MAX);
    if (bytes <= length || length === most) return;
    const kept = this.#copy(this.#from, this.#to);
    this.#ring = new Uint8Array(Math.min(most, Math.max(bytes, 2 * length, bytesOf(ROOM_MS_MIN))));
    const at = this.#from % this.#ring.length;
    const head = kept.subarray(0, this.#ring.length - at);
    this.#ring.set(head, at);
    this.#ring.set(kept.subarray(head.length), 0);
  }
}

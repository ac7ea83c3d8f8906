import type { SpokenWord } from './spoken-line.ts';

/**
 * The audio that one caller has sent. The transcriber finds the caller of a frame by its bytes. Times are ms of sent
 * audio.
 */
export interface SentAudio {
  /** The words that were spoken so far, in order. */
  readonly words: readonly SpokenWord[];
}

export interface SentFrame {
  readonly audio: SentAudio;
  readonly index: number;
}

export const FRAME_MS = 20;
/** 20 ms of G.711. */
export const FRAME_BYTES = 160;
/** The noise of the line makes this many bytes unlike those of every other frame. */
const KEY_BYTES = 32;

/**
 * All frames that the callers of this process have sent. The service passes G.711 on undecoded, so an emulated
 * transcriber recognises each frame that it really receives.
 */
export class SentFrames {
  readonly #frames = new Map<string, SentFrame>();

  add(payload: Uint8Array, frame: SentFrame): void {
    this.#frames.set(keyAt(Buffer.from(payload.buffer, payload.byteOffset, payload.length), 0), frame);
  }

  /** The frame that begins at `at`, if it is whole. */
  find(bytes: Buffer, at: number): SentFrame | undefined {
    return at + FRAME_BYTES > bytes.length ? undefined : this.#frames.get(keyAt(bytes, at));
  }

  clear(): void {
    this.#frames.clear();
  }
}

function keyAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + KEY_BYTES);
}

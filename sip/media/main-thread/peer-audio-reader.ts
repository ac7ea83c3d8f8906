import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';
import { transcodeAlawToMulaw, transcodeMulawToAlaw } from '../../../base/audio/g711.ts';
import { RTP_PAYLOAD_BYTES_MAX } from '../../rtp/reception/reorder-window.ts';
import { CODEC_ALAW, CODEC_MULAW, createAudioFrame } from '../worker-channel/audio-frame.ts';
import type { RingBuffer } from '../worker-channel/ring-buffer.ts';

export type AudioListener = (format: AudioFormat, audio: Uint8Array) => void;

export const MULAW_8K: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
export const ALAW_8K: AudioFormat = { encoding: 'alaw', sampleRateHz: 8000 };
export const LINEAR16_16K: AudioFormat = { encoding: 'linear16', sampleRateHz: 16_000 };
/** Audio kept for the first listener. Beyond this length the oldest is dropped. */
const KEPT_S_MAX = 5;
/** A G.722 payload that fills a datagram: each byte becomes two samples of two bytes. */
const FRAME_BYTES_MAX = 4 * RTP_PAYLOAD_BYTES_MAX;

/** Reads the peer's audio from the ring buffer that the worker fills. Keeps it for the first listener. */
export class PeerAudioReader {
  readonly #ring: RingBuffer;
  readonly #slot: number;
  readonly #generation: number;
  readonly #frame = createAudioFrame();
  readonly #scratch = new Uint8Array(FRAME_BYTES_MAX);
  readonly #format: AudioFormat;
  readonly #keptBytesMax: number;
  readonly #listeners: AudioListener[] = [];
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #readBytes = 0;

  /**
   * @param format of the listeners' audio: mu-law, A-law or linear16 at 16 kHz. The worker converts other wire formats,
   * except between the two laws of G.711, which are converted here.
   */
  constructor(ring: RingBuffer, slot: number, generation: number, format: AudioFormat) {
    this.#format = format;
    this.#keptBytesMax = KEPT_S_MAX * format.sampleRateHz * bytesPerSample(format);
    this.#ring = ring;
    this.#slot = slot;
    this.#generation = generation;
  }

  /** The length of the audio that was read, in ms: the time of its end in `MediaEvent`. */
  get audioMs(): number {
    return durationMs(this.#format, this.#readBytes);
  }

  /** The first listener receives the kept audio at once. */
  listen(listener: AudioListener): void {
    this.#listeners.push(listener);
    const kept = this.#kept;
    this.#kept = [];
    this.#keptBytes = 0;
    for (const audio of kept) listener(this.#format, audio);
  }

  /** Passes the ring's contents on as one piece. The bytes belong to the listeners. */
  collect(): void {
    const pieces: Buffer[] = [];
    for (let piece = this.#next(); piece !== null; piece = this.#next()) pieces.push(piece);
    const [first, ...more] = pieces;
    if (first === undefined) return;
    const audio = more.length === 0 ? first : Buffer.concat(pieces);
    this.#readBytes += audio.length;
    if (this.#listeners.length === 0) this.#keep(audio);
    for (const listener of this.#listeners) listener(this.#format, audio);
  }

  /** The next frame of this session in the ring; null if there is none. */
  #next(): Buffer | null {
    const frame = this.#frame;
    const scratch = this.#scratch;
    while (this.#ring.take(frame, scratch)) {
      if (frame.slot !== this.#slot || frame.generation !== this.#generation) continue;
      const audio = Buffer.from(scratch.subarray(0, frame.length));
      if (frame.codec === CODEC_ALAW && this.#format === MULAW_8K)
        transcodeAlawToMulaw(audio, 0, audio.length, audio, 0);
      if (frame.codec === CODEC_MULAW && this.#format === ALAW_8K)
        transcodeMulawToAlaw(audio, 0, audio.length, audio, 0);
      return audio;
    }
    return null;
  }

  #keep(audio: Uint8Array): void {
    this.#kept.push(audio);
    this.#keptBytes += audio.length;
    while (this.#keptBytes > this.#keptBytesMax) this.#keptBytes -= this.#kept.shift()?.length ?? 0;
  }
}

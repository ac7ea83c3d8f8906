import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodeWavHeader, PCM_WAV_HEADER_BYTES, WAV_DATA_BYTES_MAX } from '../../base/audio/wav.ts';
import { RECORDING_CHANNELS, RECORDING_FRAME_BYTES, RECORDING_RATE_HZ } from './recording-ring.ts';

const FORMAT = { encoding: 'linear16', sampleRateHz: RECORDING_RATE_HZ } as const;
const FRAMES_MAX = Math.floor(WAV_DATA_BYTES_MAX / RECORDING_FRAME_BYTES);

/**
 * Writes a growing stereo WAV file: first data, then a header that counts it. The header never counts missing bytes, so
 * the file is valid whenever the process stops. Writes are synchronous on the recorder's own thread, so that a slow disk
 * never blocks libuv's thread pool, which the main thread shares.
 */
export class WavFileWriter {
  readonly #descriptor: number;
  #frames: number;

  private constructor(descriptor: number, frames: number) {
    this.#descriptor = descriptor;
    this.#frames = frames;
  }

  /** Creates the file (and its folder), empty and valid. Throws the errors of `fs`. */
  static create(path: string): WavFileWriter {
    mkdirSync(dirname(path), { recursive: true });
    return WavFileWriter.#open(path, 'w', 0);
  }

  /** Continues a file with `frames` written frames. Throws the errors of `fs`. */
  static resume(path: string, frames: number): WavFileWriter {
    return WavFileWriter.#open(path, 'r+', frames);
  }

  static #open(path: string, flags: 'w' | 'r+', frames: number): WavFileWriter {
    const file = new WavFileWriter(openSync(path, flags), frames);
    try {
      file.#writeHeader();
    } catch (error) {
      closeSync(file.#descriptor);
      throw error;
    }
    return file;
  }

  /**
   * Writes `count` interleaved frames at their position. Skipped frames are a hole in the file, which reads as silence.
   * Throws the errors of `fs`, and a `RangeError` beyond the maximum size of a WAV.
   */
  write(position: number, samples: Int16Array, count: number): void {
    if (position + count > FRAMES_MAX) throw new RangeError('the recording has reached the size of a WAV file');
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, count * RECORDING_FRAME_BYTES);
    writeWhole(this.#descriptor, bytes, PCM_WAV_HEADER_BYTES + position * RECORDING_FRAME_BYTES);
    this.#frames = Math.max(this.#frames, position + count);
    this.#writeHeader();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  get durationMs(): number {
    return (this.#frames * 1000) / RECORDING_RATE_HZ;
  }

  #writeHeader(): void {
    writeWhole(this.#descriptor, encodeWavHeader(FORMAT, RECORDING_CHANNELS, this.#frames * RECORDING_FRAME_BYTES), 0);
  }
}

/** On a full disk, a write may be partial before the next write fails. */
function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

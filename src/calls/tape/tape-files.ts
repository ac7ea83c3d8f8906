import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { encodeWavHeader, WAV_DATA_BYTES_MAX } from '../../../base/audio/wav.ts';

/** Audio is written in pieces of this size, two seconds of a call; single packets would be fifty writes a second. */
const PIECE_BYTES = 16_384;

/** A file of a tape that grows during the call. Only `close` waits for the disk. */
export class GrowingFile {
  readonly #stream: WriteStream;
  #failed = false;

  /** Replaces an existing file. Readable by its owner alone. */
  constructor(path: string, onFault: (error: Error) => void) {
    this.#stream = createWriteStream(path, { mode: 0o600 });
    this.#stream.on('error', (error) => {
      this.#failed = true;
      onFault(error);
    });
  }

  /** Bytes that the disk has not taken yet. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  write(data: string | Uint8Array): void {
    if (!this.#failed) this.#stream.write(data);
  }

  /** Resolves once all is written, or writing has failed. */
  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream).catch(() => {});
  }

  abandon(): void {
    this.#failed = true;
    this.#stream.destroy();
  }
}

/** A mono WAV that grows: its header states the maximum length until `close` writes the true one. */
export class GrowingWav {
  readonly format: AudioFormat;
  readonly #path: string;
  readonly #file: GrowingFile;
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #dataBytes = 0;

  constructor(path: string, format: AudioFormat, onFault: (error: Error) => void) {
    this.format = format;
    this.#path = path;
    this.#file = new GrowingFile(path, onFault);
    this.#file.write(encodeWavHeader(format, 1, WAV_DATA_BYTES_MAX));
  }

  get waitingBytes(): number {
    return this.#file.waitingBytes + this.#pieceBytes;
  }

  /** The file owns the bytes from now on. */
  write(audio: Uint8Array): void {
    this.#dataBytes += audio.length;
    this.#pieces.push(audio);
    this.#pieceBytes += audio.length;
    if (this.#pieceBytes >= PIECE_BYTES) this.#flush();
  }

  /** Rejects if the header cannot be written. */
  async close(): Promise<void> {
    this.#flush();
    await this.#file.close();
    const file = await open(this.#path, 'r+');
    try {
      await file.write(encodeWavHeader(this.format, 1, this.#dataBytes), 0, undefined, 0);
    } finally {
      await file.close();
    }
  }

  abandon(): void {
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#file.abandon();
  }

  #flush(): void {
    for (const piece of this.#pieces) this.#file.write(piece);
    this.#pieces = [];
    this.#pieceBytes = 0;
  }
}

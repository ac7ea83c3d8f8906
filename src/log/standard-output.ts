import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const STANDARD_OUTPUT = 1;
/** Characters that wait for a slow reader. Beyond it lines are dropped, and calls continue. */
const WAITING_MAX = 8_388_608;
/** Wait before the next attempt after an error, such as that of a full pipe, ms. */
const RETRY_MS = 20;

/** The reader has exited. Other errors are temporary, such as that of a full disk. */
const GONE: readonly (string | undefined)[] = ['EPIPE', 'EBADF', 'ECONNRESET'];
const NONE = new Uint8Array(0);

/** The part of `node:fs` that writes to a descriptor. */
export interface DescriptorWriter {
  write(bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null, written: number) => void): void;
  /** @throws the system's error */
  writeSync(bytes: Uint8Array): number;
}

const STANDARD_OUTPUT_WRITER: DescriptorWriter = {
  write: (bytes, done) => write(STANDARD_OUTPUT, bytes, done),
  writeSync: (bytes) => writeSync(STANDARD_OUTPUT, bytes),
};

/**
 * Writes log lines to standard output without blocking the thread. A reader that has gone (EPIPE) ends the output, not the
 * service. pino's own destination repeats a synchronous write to a closed pipe forever (sonic-boom 4.2, `flushSync`).
 */
export class StandardOutput implements DestinationStream {
  readonly #writer: DescriptorWriter;
  #waiting: string[] = [];
  #waitingLength = 0;
  /** Waits for the next attempt. */
  #retried: Uint8Array = NONE;
  #isWriting = false;
  #isClosed = false;

  constructor(writer = STANDARD_OUTPUT_WRITER) {
    this.#writer = writer;
  }

  write(line: string): void {
    if (this.#isClosed || this.#waitingLength + line.length > WAITING_MAX) return;
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (!this.#isWriting) this.#write(this.#take());
  }

  /** Writes the waiting lines before the process exits, as far as the reader takes them at once. */
  flushSync(): void {
    let bytes: Uint8Array = Buffer.concat([this.#retried, this.#take()]);
    this.#retried = NONE;
    try {
      while (!this.#isClosed && bytes.length > 0) bytes = bytes.subarray(this.#writer.writeSync(bytes));
    } catch {
      // The reader takes no more now, or has gone. The next write shows which.
    }
  }

  #retryLater(bytes: Uint8Array): void {
    this.#retried = bytes;
    setTimeout(() => {
      // `flushSync` may have written them.
      const left = this.#retried;
      this.#retried = NONE;
      this.#write(left.length > 0 ? left : this.#take());
    }, RETRY_MS).unref();
  }

  #take(): Uint8Array {
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
    return bytes;
  }

  #write(bytes: Uint8Array): void {
    this.#isWriting = bytes.length > 0;
    if (!this.#isWriting) return;
    this.#writer.write(bytes, (error, written) => {
      if (error === null) this.#write(written < bytes.length ? bytes.subarray(written) : this.#take());
      else if (GONE.includes(error.code)) this.#isClosed = true;
      else this.#retryLater(bytes);
    });
  }
}

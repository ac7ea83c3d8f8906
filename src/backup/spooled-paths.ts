import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';

/** Paths, kept in a file: a million calls have a million of them. None has a line break. */
export class SpooledPaths {
  readonly #path: string;
  readonly #stream: WriteStream;
  readonly #finished: Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#stream = createWriteStream(path, { mode: 0o600 });
    this.#finished = finished(this.#stream);
    // `all` and `remove` report it.
    this.#finished.catch(() => {});
  }

  async add(path: string): Promise<void> {
    if (!this.#stream.write(`${path}\n`)) await once(this.#stream, 'drain');
  }

  /** Ends the adding. */
  async *all(): AsyncIterable<string> {
    this.#stream.end();
    await this.#finished;
    yield* createInterface({ input: createReadStream(this.#path) });
  }

  async remove(): Promise<void> {
    this.#stream.destroy();
    await this.#finished.catch(() => {});
    await rm(this.#path, { force: true });
  }
}

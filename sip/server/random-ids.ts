import { randomBytes } from 'node:crypto';

/** Bytes of randomness in a tag, branch or Call-ID: RFC 3261 §19.3 asks for 32 bits at least. */
const ID_BYTES = 12;
/** Ids that are drawn at once: a call needs some twenty, and each draw takes as long as a few hundred bytes more. */
const IDS = 256;

/** Unpredictable ids, in hex. */
export class RandomIds {
  #bytes = Buffer.alloc(0);
  #at = 0;

  next(): string {
    if (this.#at === this.#bytes.length) {
      this.#bytes = randomBytes(IDS * ID_BYTES);
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += ID_BYTES;
    return this.#bytes.toString('hex', start, this.#at);
  }
}

import {
  type Cipheriv,
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { SessionKeys } from './key-derivation.ts';
import { mixUint32, type PacketCipher, writeUint32 } from './packet-cipher.ts';

const BLOCK_BYTES = 16;
/** Enough blocks for an Ethernet frame. */
const BLOCKS_MAX = 96;
const AUTHENTICATED_BYTES_MAX = 2048;
const TRAILER_BYTES = 4;

/**
 * AES-128 in counter mode with HMAC-SHA1 (RFC 3711 §4.1.1, §4.2.1).
 *
 * A counter-mode cipher of `node:crypto` can be used for one packet only, and its creation takes 2.6 µs. Instead, one ECB
 * cipher per key encrypts the packet's counter blocks, which yields the same key stream in 0.8 µs. Each packet still
 * allocates the output buffer and the HMAC object.
 */
export class AesCmCipher implements PacketCipher {
  readonly #cipher: Cipheriv;
  readonly #key: KeyObject;
  readonly #salt = new Uint8Array(BLOCK_BYTES);
  readonly #iv = new Uint8Array(BLOCK_BYTES);
  readonly #blocks = new Uint8Array(BLOCKS_MAX * BLOCK_BYTES);
  readonly #authenticated = new Uint8Array(AUTHENTICATED_BYTES_MAX);
  readonly #tagBytes: number;
  readonly #receivedTag: Uint8Array;

  constructor(keys: SessionKeys, tagBytes: number) {
    this.#cipher = createCipheriv('aes-128-ecb', keys.encryption, null).setAutoPadding(false);
    this.#key = createSecretKey(keys.authentication);
    this.#salt.set(keys.salt);
    this.#tagBytes = tagBytes;
    this.#receivedTag = new Uint8Array(tagBytes);
  }

  seal(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number, trailer: number, tagAt: number): void {
    this.#applyKeyStream(bytes, from, to, ssrc, index);
    const tag = this.#authenticate(bytes, to, trailer);
    for (let i = 0; i < this.#tagBytes; i++) bytes[tagAt + i] = tag[i] ?? 0;
  }

  open(
    bytes: Uint8Array,
    from: number,
    to: number,
    ssrc: number,
    index: number,
    trailer: number,
    tagAt: number,
  ): boolean {
    const tag = this.#authenticate(bytes, to, trailer);
    for (let i = 0; i < this.#tagBytes; i++) this.#receivedTag[i] = bytes[tagAt + i] ?? 0;
    if (!timingSafeEqual(this.#receivedTag, tag.subarray(0, this.#tagBytes))) return false;
    this.#applyKeyStream(bytes, from, to, ssrc, index);
    return true;
  }

  /** The key stream itself (RFC 3711 B.2). `length` is at most 1,536. */
  keyStream(ssrc: number, index: number, length: number): Uint8Array {
    const iv = this.#iv;
    const blocks = this.#blocks;
    const count = Math.ceil(length / BLOCK_BYTES);
    if (count > BLOCKS_MAX) throw new RangeError(`A packet of ${length} bytes is too long`);
    iv.set(this.#salt);
    mixUint32(iv, 4, ssrc);
    mixUint32(iv, 8, Math.floor(index / 0x10000));
    // The last 16 bits count the blocks. The 16 bits before them are the sequence number.
    iv[12] = (iv[12] ?? 0) ^ ((index >>> 8) & 0xff);
    iv[13] = (iv[13] ?? 0) ^ (index & 0xff);
    for (let block = 0; block < count; block++) {
      const at = block * BLOCK_BYTES;
      for (let i = 0; i < 14; i++) blocks[at + i] = iv[i] ?? 0;
      blocks[at + 14] = block >>> 8;
      blocks[at + 15] = block;
    }
    return this.#cipher.update(blocks.subarray(0, count * BLOCK_BYTES));
  }

  #applyKeyStream(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number): void {
    if (to === from) return;
    const stream = this.keyStream(ssrc, index, to - from);
    for (let i = 0; i < to - from; i++) bytes[from + i] = (bytes[from + i] ?? 0) ^ (stream[i] ?? 0);
  }

  #authenticate(bytes: Uint8Array, length: number, trailer: number): Uint8Array {
    const authenticated = this.#authenticated;
    for (let i = 0; i < length; i++) authenticated[i] = bytes[i] ?? 0;
    writeUint32(authenticated, length, trailer);
    return createHmac('sha1', this.#key)
      .update(authenticated.subarray(0, length + TRAILER_BYTES))
      .digest();
  }
}

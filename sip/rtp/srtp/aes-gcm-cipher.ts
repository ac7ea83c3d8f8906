import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { SessionKeys } from './key-derivation.ts';
import { mixUint32, type PacketCipher, writeUint32 } from './packet-cipher.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const WORD_BYTES = 4;
const HEADER_BYTES_MAX = 2048;

/**
 * AES-128 in Galois counter mode (RFC 7714). `node:crypto` needs a new cipher for each packet, so GCM allocates more than
 * AES-CM with HMAC, and takes about the same time.
 */
export class AesGcmCipher implements PacketCipher {
  readonly #key: KeyObject;
  readonly #salt: Uint8Array;
  readonly #protocol: 'rtp' | 'rtcp';
  readonly #iv = new Uint8Array(IV_BYTES);
  readonly #associated = new Uint8Array(HEADER_BYTES_MAX);

  constructor(keys: Pick<SessionKeys, 'encryption' | 'salt'>, protocol: 'rtp' | 'rtcp') {
    this.#key = createSecretKey(keys.encryption);
    this.#salt = keys.salt;
    this.#protocol = protocol;
  }

  seal(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number, trailer: number, tagAt: number): void {
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#ivOf(ssrc, index), { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#associatedData(bytes, from, trailer));
    bytes.set(cipher.update(bytes.subarray(from, to)), from);
    cipher.final();
    bytes.set(cipher.getAuthTag(), tagAt);
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
    const cipher = createDecipheriv('aes-128-gcm', this.#key, this.#ivOf(ssrc, index), { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#associatedData(bytes, from, trailer));
    cipher.setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
    const plain = cipher.update(bytes.subarray(from, to));
    try {
      cipher.final();
    } catch {
      return false;
    }
    bytes.set(plain, from);
    return true;
  }

  /** RFC 7714 §8.1 and §9.1: two zero bytes, the SSRC, and the index in the last six. */
  #ivOf(ssrc: number, index: number): Uint8Array {
    const iv = this.#iv;
    iv.set(this.#salt);
    mixUint32(iv, 2, ssrc);
    const upper = Math.floor(index / 0x1_0000_0000);
    iv[6] = (iv[6] ?? 0) ^ (upper >>> 8);
    iv[7] = (iv[7] ?? 0) ^ (upper & 0xff);
    mixUint32(iv, 8, index % 0x1_0000_0000);
    return iv;
  }

  /** The header; for SRTCP also the E bit and the index after it (RFC 7714 §9.2). The roll-over counter is in the IV already. */
  #associatedData(bytes: Uint8Array, headerBytes: number, trailer: number): Uint8Array {
    if (this.#protocol === 'rtp') return bytes.subarray(0, headerBytes);
    for (let i = 0; i < headerBytes; i++) this.#associated[i] = bytes[i] ?? 0;
    writeUint32(this.#associated, headerBytes, trailer);
    return this.#associated.subarray(0, headerBytes + WORD_BYTES);
  }
}

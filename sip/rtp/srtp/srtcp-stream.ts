import { type PacketCipher, writeUint32 } from './packet-cipher.ts';
import { ReplayWindow } from './replay-window.ts';

/**
 * SRTCP (RFC 3711 §3.4): the first eight bytes stay plain. The packet is followed by a word with the E bit and a 31-bit
 * index, and by the tag. For GCM the tag precedes that word (RFC 7714 §9).
 *
 *    | V P RC | PT | length | SSRC of sender | encrypted … | E | SRTCP index | authentication tag |
 *
 * Reports are infrequent, so each protected packet is a new array.
 */
const HEADER_BYTES = 8;
const INDEX_BYTES = 4;
const ENCRYPTED_BIT = 0x8000_0000;
const INDEX_MASK = 0x7fff_ffff;

export interface SrtcpLayout {
  readonly tagBytes: number;
  readonly tagFirst: boolean;
}

export class SrtcpSender {
  readonly #cipher: PacketCipher;
  readonly #layout: SrtcpLayout;
  #index = 0;

  constructor(cipher: PacketCipher, layout: SrtcpLayout) {
    this.#cipher = cipher;
    this.#layout = layout;
  }

  protect(plain: Uint8Array): Uint8Array {
    const { tagBytes, tagFirst } = this.#layout;
    const { length } = plain;
    const bytes = new Uint8Array(length + INDEX_BYTES + tagBytes);
    bytes.set(plain);
    const trailer = (ENCRYPTED_BIT | this.#index) >>> 0;
    writeUint32(bytes, tagFirst ? length + tagBytes : length, trailer);
    const tagAt = tagFirst ? length : length + INDEX_BYTES;
    this.#cipher.seal(bytes, HEADER_BYTES, length, ssrcOf(plain), this.#index, trailer, tagAt);
    this.#index = (this.#index + 1) & INDEX_MASK;
    return bytes;
  }
}

export class SrtcpReceiver {
  readonly #cipher: PacketCipher;
  readonly #layout: SrtcpLayout;
  #window = new ReplayWindow();
  #ssrc = -1;

  constructor(cipher: PacketCipher, layout: SrtcpLayout) {
    this.#cipher = cipher;
    this.#layout = layout;
  }

  /** Decrypts in place. Returns the length of the plain packet; 0 if it is not authentic or not encrypted. */
  unprotect(bytes: Uint8Array): number {
    const { tagBytes, tagFirst } = this.#layout;
    const length = bytes.length - INDEX_BYTES - tagBytes;
    if (length < HEADER_BYTES) return 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const trailer = view.getUint32(tagFirst ? length + tagBytes : length);
    const index = trailer & INDEX_MASK;
    const ssrc = ssrcOf(bytes);
    if ((trailer & ENCRYPTED_BIT) === 0 || (ssrc === this.#ssrc && !this.#window.allows(index))) return 0;
    const tagAt = tagFirst ? length : length + INDEX_BYTES;
    if (!this.#cipher.open(bytes, HEADER_BYTES, length, ssrc, index, trailer, tagAt)) return 0;
    if (ssrc !== this.#ssrc) this.#window = new ReplayWindow();
    this.#ssrc = ssrc;
    this.#window.take(index);
    return length;
  }
}

function ssrcOf(packet: Uint8Array): number {
  return new DataView(packet.buffer, packet.byteOffset, packet.length).getUint32(4);
}

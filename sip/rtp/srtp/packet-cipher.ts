/**
 * Encryption and authentication of one direction, RTP or RTCP. The bytes from `from` to `to` are encrypted, and the whole
 * packet is authenticated. `index`: 48 bits for RTP (roll-over counter and sequence number), 31 bits for RTCP. A packet
 * that is not authentic is not changed.
 */
export interface PacketCipher {
  /**
   * Encrypts `bytes[from … to)` in place and writes the tag from `bytes[tagAt]` on.
   * @param trailer authenticated after the packet: the roll-over counter, or the E bit and the index of SRTCP
   */
  seal(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number, trailer: number, tagAt: number): void;
  /** Decrypts in place; false if the tag is wrong. */
  open(
    bytes: Uint8Array,
    from: number,
    to: number,
    ssrc: number,
    index: number,
    trailer: number,
    tagAt: number,
  ): boolean;
}

export function writeUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}

/** Exclusive-ors 32 bits into the four bytes from `into[at]` on. */
export function mixUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = (into[at] ?? 0) ^ (value >>> 24);
  into[at + 1] = (into[at + 1] ?? 0) ^ (value >>> 16);
  into[at + 2] = (into[at + 2] ?? 0) ^ (value >>> 8);
  into[at + 3] = (into[at + 3] ?? 0) ^ value;
}

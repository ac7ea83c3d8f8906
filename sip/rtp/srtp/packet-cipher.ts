/**
 * Encryption and authentication of one direction, RTP or RTCP: the part of a packet from `from` to `to` is encrypted, all
 * of it is authenticated. `index` is the packet's own, 48 bits for RTP (roll-over counter and sequence number), 31 bits
 * for RTCP. No packet is changed that turns out not to be authentic.
 */
export interface PacketCipher {
  /**
   * Encrypts `bytes[from … to)` in place and writes the tag to `bytes[tagAt]` on.
   * @param trailer what is authenticated besides the packet: the roll-over counter, or the E bit and the index of SRTCP
   */
  seal(bytes: Uint8Array, from: number, to: number, ssrc: number, index: number, trailer: number, tagAt: number): void;
  /** The reverse; false where the tag is not right. */
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

/** Exclusive-ors 32 bits into `into[at]` on. */
export function mixUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = (into[at] ?? 0) ^ (value >>> 24);
  into[at + 1] = (into[at + 1] ?? 0) ^ (value >>> 16);
  into[at + 2] = (into[at + 2] ?? 0) ^ (value >>> 8);
  into[at + 3] = (into[at + 3] ?? 0) ^ value;
}

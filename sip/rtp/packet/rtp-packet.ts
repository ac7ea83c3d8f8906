/**
 * The RTP packet (RFC 3550 §5.1, §5.3.1).
 *
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |V=2|P|X|  CC   |M|     PT      |       sequence number         |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                           timestamp                           |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                             SSRC                              |
 *    +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
 *    |                      CSRC, CC times                           |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |  X: defined by profile        |   length in 32-bit words      |
 *    |                    header extension …                         |
 *    |  payload …                    | P: padding | padding length   |
 *
 * Packets are decoded into an object that is reused, so that receiving allocates nothing.
 */
export interface RtpPacket {
  marker: boolean;
  /** 0–127. */
  payloadType: number;
  /** 0–65535. */
  sequence: number;
  /** 0 … 2^32 − 1. */
  timestamp: number;
  /** 0 … 2^32 − 1. */
  ssrc: number;
  /** 0–15. The contributing sources are not decoded. */
  csrcCount: number;
  /** The payload's offset in the decoded buffer. */
  payloadOffset: number;
  /** Length without padding; 0 for a packet that only keeps a NAT binding open. */
  payloadLength: number;
}

/** The fixed header. Packets that we send have no CSRC and no extension. */
export const RTP_HEADER_BYTES = 12;
const VERSION_BITS = 0x80;
const PADDING_BIT = 0x20;
const EXTENSION_BIT = 0x10;
const MARKER_BIT = 0x80;

export function createRtpPacket(): RtpPacket {
  return {
    marker: false,
    payloadType: 0,
    sequence: 0,
    timestamp: 0,
    ssrc: 0,
    csrcCount: 0,
    payloadOffset: 0,
    payloadLength: 0,
  };
}

/**
 * Decodes the first `length` bytes of `buffer` into `into`. False if they are not an RTP packet; the contents of `into`
 * are then undefined. Never throws and never reads beyond `length`.
 */
export function decodeRtp(buffer: Uint8Array, length: number, into: RtpPacket): boolean {
  const start = decodeRtpHeader(buffer, length, into);
  if (start === 0) return false;
  let end = length;
  if ((byteAt(buffer, 0) & PADDING_BIT) !== 0) {
    const padding = byteAt(buffer, length - 1);
    if (padding === 0) return false;
    end -= padding;
  }
  if (start > end) return false;
  into.payloadOffset = start;
  into.payloadLength = end - start;
  return true;
}

/**
 * Decodes only the header and returns its length with CSRCs and extension: the offset of an encrypted payload, whose
 * padding cannot be read yet. 0 if the bytes are not an RTP packet. The payload fields are not changed.
 */
export function decodeRtpHeader(buffer: Uint8Array, length: number, into: RtpPacket): number {
  if (length < RTP_HEADER_BYTES || length > buffer.length) return 0;
  const first = byteAt(buffer, 0);
  if ((first & 0xc0) !== VERSION_BITS) return 0;
  const second = byteAt(buffer, 1);
  into.marker = (second & MARKER_BIT) !== 0;
  into.payloadType = second & 0x7f;
  into.sequence = (byteAt(buffer, 2) << 8) | byteAt(buffer, 3);
  into.timestamp = readUint32(buffer, 4);
  into.ssrc = readUint32(buffer, 8);
  into.csrcCount = first & 0x0f;
  let start = RTP_HEADER_BYTES + into.csrcCount * 4;
  if ((first & EXTENSION_BIT) !== 0) {
    if (start + 4 > length) return 0;
    start += 4 + ((byteAt(buffer, start + 2) << 8) | byteAt(buffer, start + 3)) * 4;
  }
  return start > length ? 0 : start;
}

/** Writes the twelve bytes of a header without CSRC, extension or padding to the start of `into`. */
export function encodeRtpHeader(
  into: Uint8Array,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
): void {
  into[0] = VERSION_BITS;
  into[1] = (marker ? MARKER_BIT : 0) | (payloadType & 0x7f);
  into[2] = sequence >>> 8;
  into[3] = sequence;
  writeUint32(into, 4, timestamp);
  writeUint32(into, 8, ssrc);
}

/** Whether a packet on the RTP port is RTCP, whose types 200–204 would be RTP payload types 72–76 (RFC 5761 §4). */
export function looksLikeRtcp(buffer: Uint8Array, length: number): boolean {
  const type = byteAt(buffer, 1);
  return length >= 8 && type >= 200 && type <= 204;
}

function byteAt(buffer: Uint8Array, offset: number): number {
  return buffer[offset] ?? 0;
}

function readUint32(buffer: Uint8Array, offset: number): number {
  return (
    ((byteAt(buffer, offset) << 24) |
      (byteAt(buffer, offset + 1) << 16) |
      (byteAt(buffer, offset + 2) << 8) |
      byteAt(buffer, offset + 3)) >>>
    0
  );
}

function writeUint32(into: Uint8Array, offset: number, value: number): void {
  into[offset] = value >>> 24;
  into[offset + 1] = value >>> 16;
  into[offset + 2] = value >>> 8;
  into[offset + 3] = value;
}

/**
 * RTCP (RFC 3550 §6): sender and receiver reports, the CNAME of SDES, BYE. Each call sends a report only every five
 * seconds, so packets are plain objects here. Other packet types and SDES items are skipped.
 *
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |V=2|P|  count  |      PT       |  length in 32-bit words − 1   |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *    |                     SSRC of the sender                        |
 *    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 */
export type RtcpPacket =
  | {
      readonly type: 'sender_report';
      readonly ssrc: number;
      /** Seconds since 1900, and 1/2^32 of a second. */
      readonly ntpSeconds: number;
      readonly ntpFraction: number;
      readonly rtpTimestamp: number;
      readonly packetCount: number;
      readonly octetCount: number;
      readonly reports: readonly ReportBlock[];
    }
  | { readonly type: 'receiver_report'; readonly ssrc: number; readonly reports: readonly ReportBlock[] }
  | { readonly type: 'source_description'; readonly ssrc: number; readonly cname: string }
  | { readonly type: 'bye'; readonly ssrcs: readonly number[] };

/** RFC 3550 §6.4.1. */
export interface ReportBlock {
  readonly ssrc: number;
  /** Fraction lost in the interval since the last report, in 1/256. */
  readonly fractionLost: number;
  /** Signed 24 bits. */
  readonly cumulativeLost: number;
  /** Highest sequence number, with the number of wraps in the upper 16 bits. */
  readonly highestSequence: number;
  /** In timestamp units. */
  readonly jitter: number;
  /** The middle 32 bits of the NTP timestamp of the source's last sender report. */
  readonly lastSenderReport: number;
  /** In 1/65536 s. */
  readonly delaySinceLastSenderReport: number;
}

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const BYE = 203;
const CNAME_ITEM = 1;
const BLOCK_BYTES = 24;
const SENDER_INFO_BYTES = 20;
/** The count field has five bits, an SDES item's length eight. */
const COUNT_MAX = 31;
const CNAME_BYTES_MAX = 255;

/** Encodes a compound packet. Throws a `RangeError` if a count or the CNAME exceeds its field. */
export function encodeRtcp(packets: readonly RtcpPacket[]): Uint8Array {
  const parts = packets.map(encodePacket);
  const compound = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    compound.set(part, offset);
    offset += part.length;
  }
  return compound;
}

/**
 * Decodes a compound packet; null if it breaks the rules of RFC 3550 §A.2 (version, a report first, padding only at the
 * end, consistent lengths). Never throws.
 */
export function decodeRtcp(bytes: Uint8Array): RtcpPacket[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packets: RtcpPacket[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 4 > bytes.length) return null;
    const first = view.getUint8(offset);
    const type = view.getUint8(offset + 1);
    const end = offset + (view.getUint16(offset + 2) + 1) * 4;
    if (first >> 6 !== 2 || end > bytes.length) return null;
    if (offset === 0 && type !== SENDER_REPORT && type !== RECEIVER_REPORT) return null;
    let contentEnd = end;
    if ((first & 0x20) !== 0) {
      const padding = view.getUint8(end - 1);
      if (end !== bytes.length || padding === 0 || padding > end - offset - 4) return null;
      contentEnd -= padding;
    }
    if (!decodePacket(view, type, first & 0x1f, offset + 4, contentEnd, packets)) return null;
    offset = end;
  }
  return packets.length === 0 ? null : packets;
}

/** Wall-clock ms since 1970 as an NTP timestamp (RFC 3550 §4). */
export function ntpOfWallMs(wallMs: number): { readonly seconds: number; readonly fraction: number } {
  const seconds = Math.floor(wallMs / 1000);
  return {
    seconds: (seconds + SECONDS_1900_TO_1970) >>> 0,
    fraction: Math.floor(((wallMs - seconds * 1000) / 1000) * 2 ** 32) >>> 0,
  };
}

/** The middle 32 bits of an NTP timestamp: the reference to a sender report in a report block. */
export function middleOfNtp(seconds: number, fraction: number): number {
  return ((seconds << 16) | (fraction >>> 16)) >>> 0;
}

const SECONDS_1900_TO_1970 = 2_208_988_800;

function encodePacket(packet: RtcpPacket): Uint8Array {
  switch (packet.type) {
    case 'sender_report': {
      const { bytes, view } = begin(SENDER_REPORT, packet.reports.length, 4 + SENDER_INFO_BYTES, packet.reports);
      view.setUint32(4, packet.ssrc);
      view.setUint32(8, packet.ntpSeconds);
      view.setUint32(12, packet.ntpFraction);
      view.setUint32(16, packet.rtpTimestamp);
      view.setUint32(20, packet.packetCount);
      view.setUint32(24, packet.octetCount);
      return bytes;
    }
    case 'receiver_report': {
      const { bytes, view } = begin(RECEIVER_REPORT, packet.reports.length, 4, packet.reports);
      view.setUint32(4, packet.ssrc);
      return bytes;
    }
    case 'source_description': {
      const cname = new TextEncoder().encode(packet.cname);
      if (cname.length > CNAME_BYTES_MAX) throw new RangeError('an RTCP CNAME holds at most 255 bytes');
      // SSRC, item type and length, text, and one to four null bytes up to the next word (§6.5).
      const { bytes, view } = begin(SOURCE_DESCRIPTION, 1, 4 + (((2 + cname.length) >> 2) + 1) * 4, []);
      view.setUint32(4, packet.ssrc);
      view.setUint8(8, CNAME_ITEM);
      view.setUint8(9, cname.length);
      bytes.set(cname, 10);
      return bytes;
    }
    case 'bye': {
      const { bytes, view } = begin(BYE, packet.ssrcs.length, packet.ssrcs.length * 4, []);
      packet.ssrcs.forEach((ssrc, index) => {
        view.setUint32(4 + index * 4, ssrc);
      });
      return bytes;
    }
  }
}

function begin(type: number, count: number, contentBytes: number, reports: readonly ReportBlock[]) {
  if (count > COUNT_MAX) throw new RangeError('an RTCP packet holds at most 31 reports or sources');
  const bytes = new Uint8Array(4 + contentBytes + reports.length * BLOCK_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 0x80 | count);
  view.setUint8(1, type);
  view.setUint16(2, bytes.length / 4 - 1);
  reports.forEach((report, index) => {
    encodeBlock(view, 4 + contentBytes + index * BLOCK_BYTES, report);
  });
  return { bytes, view };
}

function encodeBlock(view: DataView, offset: number, report: ReportBlock): void {
  view.setUint32(offset, report.ssrc);
  view.setUint32(offset + 4, ((report.fractionLost << 24) | (report.cumulativeLost & 0xffffff)) >>> 0);
  view.setUint32(offset + 8, report.highestSequence);
  view.setUint32(offset + 12, report.jitter);
  view.setUint32(offset + 16, report.lastSenderReport);
  view.setUint32(offset + 20, report.delaySinceLastSenderReport);
}

/** Adds the packet to `packets` if its type is known. False if the content is shorter than its count. */
function decodePacket(
  view: DataView,
  type: number,
  count: number,
  start: number,
  end: number,
  packets: RtcpPacket[],
): boolean {
  switch (type) {
    case SENDER_REPORT: {
      if (start + 4 + SENDER_INFO_BYTES + count * BLOCK_BYTES > end) return false;
      packets.push({
        type: 'sender_report',
        ssrc: view.getUint32(start),
        ntpSeconds: view.getUint32(start + 4),
        ntpFraction: view.getUint32(start + 8),
        rtpTimestamp: view.getUint32(start + 12),
        packetCount: view.getUint32(start + 16),
        octetCount: view.getUint32(start + 20),
        reports: decodeBlocks(view, start + 4 + SENDER_INFO_BYTES, count),
      });
      return true;
    }
    case RECEIVER_REPORT: {
      if (start + 4 + count * BLOCK_BYTES > end) return false;
      packets.push({
        type: 'receiver_report',
        ssrc: view.getUint32(start),
        reports: decodeBlocks(view, start + 4, count),
      });
      return true;
    }
    case SOURCE_DESCRIPTION:
      return decodeSourceDescription(view, count, start, end, packets);
    case BYE: {
      if (start + count * 4 > end) return false;
      packets.push({ type: 'bye', ssrcs: Array.from({ length: count }, (_, i) => view.getUint32(start + i * 4)) });
      return true;
    }
    default:
      return true;
  }
}

function decodeBlocks(view: DataView, start: number, count: number): ReportBlock[] {
  return Array.from({ length: count }, (_, index) => {
    const offset = start + index * BLOCK_BYTES;
    return {
      ssrc: view.getUint32(offset),
      fractionLost: view.getUint8(offset + 4),
      cumulativeLost: (view.getUint32(offset + 4) << 8) >> 8,
      highestSequence: view.getUint32(offset + 8),
      jitter: view.getUint32(offset + 12),
      lastSenderReport: view.getUint32(offset + 16),
      delaySinceLastSenderReport: view.getUint32(offset + 20),
    };
  });
}

/** One chunk per source: SSRC, items up to a null byte, padding with null bytes to the next word (§6.5). */
function decodeSourceDescription(
  view: DataView,
  count: number,
  start: number,
  end: number,
  packets: RtcpPacket[],
): boolean {
  let offset = start;
  for (let chunk = 0; chunk < count; chunk++) {
    if (offset + 5 > end) return false;
    const ssrc = view.getUint32(offset);
    offset += 4;
    while (offset < end && view.getUint8(offset) !== 0) {
      if (offset + 2 > end) return false;
      const length = view.getUint8(offset + 1);
      if (offset + 2 + length > end) return false;
      if (view.getUint8(offset) === CNAME_ITEM) {
        const text = new Uint8Array(view.buffer, view.byteOffset + offset + 2, length);
        packets.push({
          type: 'source_description',
          ssrc,
          cname: new TextDecoder('utf-8', { ignoreBOM: true }).decode(text),
        });
      }
      offset += 2 + length;
    }
    if (offset >= end) return false;
    offset += 4 - (offset & 3);
  }
  return offset <= end;
}

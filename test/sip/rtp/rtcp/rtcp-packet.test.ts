import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeRtcp,
  encodeRtcp,
  middleOfNtp,
  ntpOfWallMs,
  type RtcpPacket,
} from '../../../../sip/rtp/rtcp/rtcp-packet.ts';

const word = fc.integer({ min: 0, max: 0xffffffff });
const block = fc.record({
  ssrc: word,
  fractionLost: fc.integer({ min: 0, max: 255 }),
  cumulativeLost: fc.integer({ min: -0x800000, max: 0x7fffff }),
  highestSequence: word,
  jitter: word,
  lastSenderReport: word,
  delaySinceLastSenderReport: word,
});
const reports = fc.array(block, { maxLength: 31 });
const report: fc.Arbitrary<RtcpPacket> = fc.oneof(
  fc.record({
    type: fc.constant('sender_report' as const),
    ssrc: word,
    ntpSeconds: word,
    ntpFraction: word,
    rtpTimestamp: word,
    packetCount: word,
    octetCount: word,
    reports,
  }),
  fc.record({ type: fc.constant('receiver_report' as const), ssrc: word, reports }),
);
const other: fc.Arbitrary<RtcpPacket> = fc.oneof(
  report,
  fc.record({
    type: fc.constant('source_description' as const),
    ssrc: word,
    cname: fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .filter((text) => new TextEncoder().encode(text).length <= 255),
  }),
  fc.record({ type: fc.constant('bye' as const), ssrcs: fc.array(word, { maxLength: 31 }) }),
);

describe('RTCP', () => {
  it('is decoded as encoded', () => {
    fc.assert(
      fc.property(report, fc.array(other, { maxLength: 3 }), (first, rest) => {
        expect(decodeRtcp(encodeRtcp([first, ...rest]))).toEqual([first, ...rest]);
      }),
    );
  });

  it('is rejected if truncated within a packet', () => {
    const first = encodeRtcp([{ type: 'receiver_report', ssrc: 1, reports: [] }]);
    const whole = encodeRtcp([
      { type: 'receiver_report', ssrc: 1, reports: [] },
      { type: 'source_description', ssrc: 1, cname: 'a@b' },
    ]);
    for (let length = 0; length < whole.length; length++) {
      const decoded = decodeRtcp(whole.subarray(0, length));
      if (length === first.length) expect(decoded).toHaveLength(1);
      else expect(decoded).toBeNull();
    }
  });

  it.each([
    ['no report first', [0x81, 203, 0, 1, 0, 0, 0, 1]],
    ['another version', [0x40, 201, 0, 1, 0, 0, 0, 1]],
    ['a length past the end', [0x80, 201, 0, 2, 0, 0, 0, 1]],
    ['fewer blocks than counted', [0x81, 201, 0, 1, 0, 0, 0, 1]],
    ['padding in the first of two', [0xa0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0x80, 201, 0, 1, 0, 0, 0, 1]],
    ['padding of no bytes', [0xa0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]],
    ['padding longer than the packet', [0xa0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 200]],
    ['an SDES item past the end', [0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 202, 0, 2, 0, 0, 0, 1, 1, 9, 65, 66]],
    ['an SDES chunk without its end', [0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 202, 0, 2, 0, 0, 0, 1, 1, 2, 65, 66]],
    ['a BYE with fewer sources than counted', [0x80, 201, 0, 1, 0, 0, 0, 1, 0x82, 203, 0, 1, 0, 0, 0, 1]],
  ])('is rejected with %s', (_name, bytes) => {
    expect(decodeRtcp(Uint8Array.from(bytes))).toBeNull();
  });

  it('is decoded without unknown packet types and padding', () => {
    const bytes = [0x80, 201, 0, 1, 0, 0, 0, 1, 0x80, 204, 0, 1, 0, 0, 0, 2, 0xa0, 203, 0, 1, 0, 0, 0, 4];
    expect(decodeRtcp(Uint8Array.from(bytes))).toEqual([
      { type: 'receiver_report', ssrc: 1, reports: [] },
      { type: 'bye', ssrcs: [] },
    ]);
  });

  it('is decoded from random bytes without an error', () => {
    const bytes = fc.uint8Array({ maxLength: 120 });
    fc.assert(
      fc.property(bytes, fc.constantFrom(200, 201, 202, 203), (body, type) => {
        const start = [0x80, 201, 0, 1, 0, 0, 0, 1, 0x80 | (body.length & 0x1f), type, 0, body.length >> 2];
        decodeRtcp(body);
        decodeRtcp(Uint8Array.from([...start, ...body]));
      }),
      { numRuns: 1000 },
    );
  });

  it('is not encoded if a count or length exceeds its field', () => {
    expect(() => encodeRtcp([{ type: 'bye', ssrcs: new Array(32).fill(1) }])).toThrow(RangeError);
    expect(() => encodeRtcp([{ type: 'source_description', ssrc: 1, cname: 'x'.repeat(256) }])).toThrow(RangeError);
  });

  it('converts wall-clock time to NTP time', () => {
    expect(ntpOfWallMs(500)).toEqual({ seconds: 2_208_988_800, fraction: 0x80000000 });
    expect(middleOfNtp(0x12345678, 0x9abcdef0)).toBe(0x56789abc);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRtpPacket,
  decodeRtp,
  encodeRtpHeader,
  looksLikeRtcp,
  RTP_HEADER_BYTES,
} from '../../../../sip/rtp/packet/rtp-packet.ts';

const header = {
  payloadType: fc.integer({ min: 0, max: 127 }),
  marker: fc.boolean(),
  sequence: fc.integer({ min: 0, max: 0xffff }),
  timestamp: fc.integer({ min: 0, max: 0xffffffff }),
  ssrc: fc.integer({ min: 0, max: 0xffffffff }),
};

/** A packet with the optional parts of RFC 3550, built without the code under test. */
function build(options: {
  csrcs: number;
  extensionWords: number | null;
  payload: Uint8Array;
  padding: number;
}): Uint8Array {
  const bytes = [0x80 | options.csrcs, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 11];
  for (let i = 0; i < options.csrcs; i++) bytes.push(1, 2, 3, 4);
  if (options.extensionWords !== null) {
    bytes[0] = (bytes[0] ?? 0) | 0x10;
    bytes.push(0xbe, 0xde, options.extensionWords >> 8, options.extensionWords & 0xff);
    for (let i = 0; i < options.extensionWords * 4; i++) bytes.push(0xee);
  }
  bytes.push(...options.payload);
  if (options.padding > 0) {
    bytes[0] = (bytes[0] ?? 0) | 0x20;
    for (let i = 1; i < options.padding; i++) bytes.push(0);
    bytes.push(options.padding);
  }
  return Uint8Array.from(bytes);
}

describe('RTP packets', () => {
  it('are decoded as encoded', () => {
    fc.assert(
      fc.property(fc.record(header), fc.uint8Array({ maxLength: 400 }), (fields, payload) => {
        const bytes = new Uint8Array(RTP_HEADER_BYTES + payload.length);
        encodeRtpHeader(bytes, fields.payloadType, fields.marker, fields.sequence, fields.timestamp, fields.ssrc);
        bytes.set(payload, RTP_HEADER_BYTES);
        const packet = createRtpPacket();
        expect(decodeRtp(bytes, bytes.length, packet)).toBe(true);
        expect(packet).toMatchObject(fields);
        expect(bytes.subarray(packet.payloadOffset, packet.payloadOffset + packet.payloadLength)).toEqual(payload);
      }),
    );
  });

  it('have their payload between CSRCs and extension, and padding', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 15 }),
        fc.option(fc.integer({ min: 0, max: 20 })),
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 0, max: 255 }),
        (csrcs, extensionWords, payload, padding) => {
          const bytes = build({ csrcs, extensionWords, payload, padding });
          const packet = createRtpPacket();
          expect(decodeRtp(bytes, bytes.length, packet)).toBe(true);
          expect(packet.csrcCount).toBe(csrcs);
          expect(bytes.slice(packet.payloadOffset, packet.payloadOffset + packet.payloadLength)).toEqual(payload);
        },
      ),
    );
  });

  it('are rejected if truncated anywhere before their payload', () => {
    const bytes = build({ csrcs: 3, extensionWords: 2, payload: new Uint8Array(0), padding: 0 });
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeRtp(bytes, length, createRtpPacket())).toBe(false);
    }
    expect(decodeRtp(bytes, bytes.length, createRtpPacket())).toBe(true);
  });

  it.each([
    ['a length past the buffer', (b: Uint8Array) => b, 1],
    ['version 0', (b: Uint8Array) => b.fill(0x00, 0, 1), 0],
    ['version 1', (b: Uint8Array) => b.fill(0x40, 0, 1), 0],
    ['version 3', (b: Uint8Array) => b.fill(0xc0, 0, 1), 0],
    ['padding of no bytes', (b: Uint8Array) => b.fill(0xa0, 0, 1).fill(0, 15), 0],
    ['padding longer than the payload', (b: Uint8Array) => b.fill(0xa0, 0, 1).fill(5, 15), 0],
  ])('are rejected for %s', (_name, spoil, extraLength) => {
    const bytes = build({ csrcs: 0, extensionWords: null, payload: new Uint8Array(4), padding: 0 });
    expect(decodeRtp(bytes, bytes.length, createRtpPacket())).toBe(true);
    expect(decodeRtp(spoil(bytes), bytes.length + extraLength, createRtpPacket())).toBe(false);
  });

  it('are decoded from random bytes without an error or a payload beyond the end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const packet = createRtpPacket();
        if (!decodeRtp(bytes, bytes.length, packet)) return;
        expect(packet.payloadOffset + packet.payloadLength).toBeLessThanOrEqual(bytes.length);
        expect(packet.payloadLength).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('are distinguished from RTCP on the same port', () => {
    expect(looksLikeRtcp(Uint8Array.of(0x80, 200, 0, 1, 0, 0, 0, 0), 8)).toBe(true);
    expect(looksLikeRtcp(Uint8Array.of(0x80, 0x80, 0, 1, 0, 0, 0, 0), 8)).toBe(false);
    expect(looksLikeRtcp(Uint8Array.of(0x80, 200), 2)).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRtpPacket, type RtpPacket } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { RtpSource } from '../../../../sip/rtp/reception/rtp-source.ts';
import { ReceptionStatistics } from '../../../../sip/rtp/rtcp/reception-statistics.ts';

function packet(sequence: number, timestamp = sequence * 160, ssrc = 1): RtpPacket {
  return { ...createRtpPacket(), sequence: sequence & 0xffff, timestamp: timestamp >>> 0, ssrc };
}

describe('RTP source', () => {
  it('starts with its first packet and continues over the wrap of sequence numbers', () => {
    const source = new RtpSource(8000);
    const results = [65534, 65535, 65536, 65537].map((n, i) => source.receive(packet(n), i * 20));
    expect(results).toEqual(['restarted', 'accepted', 'accepted', 'accepted']);
    expect(source.extendedMaxSequence).toBe(65537);
    expect(source.received).toBe(4);
  });

  it('accepts reordered and duplicate packets without changing its highest sequence number', () => {
    const source = new RtpSource(8000);
    for (const n of [10, 12, 11, 12]) expect(source.receive(packet(n), n * 20)).not.toBe('dropped');
    expect(source.maxSequence).toBe(12);
  });

  it('drops a packet with a distant sequence number, and restarts at the second in a row', () => {
    const source = new RtpSource(8000);
    source.receive(packet(10), 0);
    expect(source.receive(packet(20_000, 1760), 20)).toBe('dropped');
    expect(source.receive(packet(11), 40)).toBe('accepted');
    expect(source.receive(packet(30_000, 2080), 60)).toBe('dropped');
    expect(source.receive(packet(30_001, 2240), 80)).toBe('restarted');
    expect(source.maxSequence).toBe(30_001);
  });

  it('accepts another SSRC at its second packet in a row, unless the old SSRC continues', () => {
    const source = new RtpSource(8000);
    source.receive(packet(10), 0);
    expect(source.receive(packet(500, 0, 2), 20)).toBe('dropped');
    expect(source.receive(packet(11), 20)).toBe('accepted');
    expect(source.receive(packet(501, 160, 2), 40)).toBe('dropped');
    expect(source.receive(packet(502, 320, 2), 60)).toBe('restarted');
    expect(source.ssrc).toBe(2);
    expect(source.dropped).toBe(2);
  });

  it('restarts at a jump of timestamps, but not after a pause in which both clocks advanced', () => {
    const source = new RtpSource(8000);
    source.receive(packet(10, 0), 0);
    expect(source.receive(packet(11, 8000 * 30), 30_000)).toBe('accepted');
    expect(source.receive(packet(12, 8000 * 60), 30_020)).toBe('restarted');
    expect(source.receive(packet(13, 8000 * 60 + 160), 30_040)).toBe('accepted');
  });

  it('does not restart after a long telephone event, whose packets share one timestamp', () => {
    const source = new RtpSource(8000);
    source.receive(packet(10, 1600), 0);
    for (let i = 1; i <= 200; i++) expect(source.receive(packet(10 + i, 1760), i * 20)).toBe('accepted');
    expect(source.receive(packet(211, 1760 + 200 * 160), 201 * 20)).toBe('accepted');
    expect(source.restarts).toBe(0);
  });

  it('starts with any SSRC after a reset', () => {
    const source = new RtpSource(8000);
    source.receive(packet(10), 0);
    source.reset();
    expect(source.receive(packet(900, 5, 7), 20)).toBe('restarted');
  });
});

describe('reception statistics', () => {
  it('count lost packets per interval and in total (RFC 3550 A.3)', () => {
    const source = new RtpSource(8000);
    const statistics = new ReceptionStatistics(source);
    for (const n of [1, 2, 3, 4]) source.receive(packet(n), n * 20);
    expect(statistics.report(0, 0)).toMatchObject({ fractionLost: 0, cumulativeLost: 0, highestSequence: 4 });
    for (const n of [5, 7]) source.receive(packet(n), n * 20);
    expect(statistics.report(0xabcd, 65536)).toMatchObject({
      ssrc: 1,
      fractionLost: 85,
      cumulativeLost: 1,
      lastSenderReport: 0xabcd,
      delaySinceLastSenderReport: 65536,
    });
    expect(statistics.report(0, 0).fractionLost).toBe(0);
  });

  it('report a negative loss and no fraction if duplicates outnumber losses', () => {
    const source = new RtpSource(8000);
    const statistics = new ReceptionStatistics(source);
    for (const n of [1, 2, 2, 2]) source.receive(packet(n), n * 20);
    expect(statistics.report(0, 0)).toMatchObject({ fractionLost: 0, cumulativeLost: -2 });
  });

  it('estimate no jitter for a steady stream, even over the wrap of its timestamps', () => {
    const statistics = new ReceptionStatistics(new RtpSource(8000));
    for (let i = 0; i < 100; i++) statistics.update((0xffffff00 + i * 160) >>> 0, 1000 + i * 20);
    expect(statistics.jitter).toBe(0);
  });

  it('ignore the repeated timestamp of a telephone event', () => {
    const statistics = new ReceptionStatistics(new RtpSource(8000));
    for (let i = 0; i < 50; i++) statistics.update(i < 25 ? i * 160 : 25 * 160, i * 20);
    statistics.update(50 * 160, 1000);
    expect(statistics.jitter).toBe(0);
  });

  it('approach the mean deviation of an irregular stream (RFC 3550 A.8)', () => {
    const statistics = new ReceptionStatistics(new RtpSource(8000));
    for (let i = 0; i < 500; i++) statistics.update(i * 160, i * 20 + (i % 2) * 10);
    expect(statistics.jitter).toBeGreaterThanOrEqual(78);
    expect(statistics.jitter).toBeLessThanOrEqual(80);
  });
});

describe('RTP source with random packets', () => {
  const packets = fc.array(
    fc.record({
      sequence: fc.integer({ min: 0, max: 0xffff }),
      timestamp: fc.integer({ min: 0, max: 0xffffffff }),
      ssrc: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 80 },
  );

  it('accepts only its current SSRC, counts each packet once, and starts with the first', () => {
    fc.assert(
      fc.property(packets, (sent) => {
        const source = new RtpSource(8000);
        const results = sent.map(({ sequence, timestamp, ssrc }, i) => {
          const result = source.receive(packet(sequence, timestamp, ssrc), i * 20);
          if (result !== 'dropped') expect(source.ssrc).toBe(ssrc);
          return result;
        });
        expect(results[0]).toBe('restarted');
        expect(source.dropped).toBe(results.filter((result) => result === 'dropped').length);
        expect(source.restarts).toBe(results.filter((result) => result === 'restarted').length - 1);
        expect(source.received).toBeGreaterThan(0);
        expect(source.extendedMaxSequence & 0xffff).toBe(source.maxSequence);
      }),
    );
  });
});

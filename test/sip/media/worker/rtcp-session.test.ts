import { describe, expect, it } from 'vitest';
import { MULAW_SILENCE } from '../../../../base/audio/g711.ts';
import { looksLikeRtcp, RTP_HEADER_BYTES } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { decodeRtcp, encodeRtcp, middleOfNtp, type RtcpPacket } from '../../../../sip/rtp/rtcp/rtcp-packet.ts';
import { audioPacket, PARAMETERS, PORT, type SentPacket, simulatedSession } from './simulated-session.ts';

const SENDER_REPORT: RtcpPacket = {
  type: 'sender_report',
  ssrc: 77,
  ntpSeconds: 0x11112222,
  ntpFraction: 0x33334444,
  rtpTimestamp: 0,
  packetCount: 1,
  octetCount: 160,
  reports: [],
};

describe('capture of RTCP', () => {
  it.each([
    { rtcpMux: false, ours: PORT + 1, theirs: 6001 },
    { rtcpMux: true, ours: PORT, theirs: 5000 },
  ])('holds the unencrypted reports of both sides (muxed: $rtcpMux)', async ({ rtcpMux, ours, theirs }) => {
    const { session, tick, receive, capture } = await simulatedSession();
    session.configure({ ...PARAMETERS, rtcpMux });
    session.capture('192.0.2.7');
    receive(PORT, audioPacket(1));
    const report = encodeRtcp([SENDER_REPORT]);
    receive(ours, report, '127.0.0.1', theirs);
    receive(ours, report, '203.0.113.9', theirs);
    receive(ours, Uint8Array.of(0x80, 200, 0, 9), '127.0.0.1', theirs);
    tick(1);
    await session.close();

    const rtcp = capture().filter(({ payload }) => looksLikeRtcp(payload, payload.length));
    const [received, bye, ...others] = rtcp;
    expect(others, 'neither packets of an unknown source nor malformed ones').toEqual([]);
    expect(received).toMatchObject({ from: `127.0.0.1:${theirs}`, to: `192.0.2.7:${ours}` });
    expect(received?.payload).toEqual(Buffer.from(report));
    expect(bye).toMatchObject({ from: `192.0.2.7:${ours}`, to: `127.0.0.1:${theirs}` });
    expect(decodeRtcp(bye?.payload ?? report)?.map(({ type }) => type)).toEqual([
      'sender_report',
      'source_description',
      'bye',
    ]);
  });
});

describe('RTCP reports', () => {
  it('are sent every five seconds to the port above RTP, with the counts of sent packets', async () => {
    const { session, tick, reports, audio } = await simulatedSession();
    session.configure(PARAMETERS);
    tick(249);
    expect(reports()).toEqual([]);
    tick(1);
    tick(250);
    expect(reports()).toHaveLength(2);
    expect(reports()[1]).toMatchObject({
      to: '127.0.0.1:5001',
      packets: [
        { type: 'sender_report', packetCount: 500, octetCount: 80_000, reports: [] },
        { type: 'source_description' },
      ],
    });
    expect(audio()).toHaveLength(500);
  });

  it("contain the caller's loss and refer to its last sender report", async () => {
    const { session, tick, receive, reports } = await simulatedSession();
    session.configure(PARAMETERS);
    for (let sequence = 0; sequence < 100; sequence++) {
      if (sequence % 4 !== 3 || sequence === 99) receive(PORT, audioPacket(sequence));
      tick(1);
    }
    receive(PORT + 1, encodeRtcp([SENDER_REPORT]), '127.0.0.1', 5001);
    tick(150);
    const [first] = reports()[0]?.packets ?? [];
    expect(first).toMatchObject({
      type: 'sender_report',
      reports: [
        {
          ssrc: 77,
          cumulativeLost: 24,
          highestSequence: 99,
          lastSenderReport: 0x22223333,
          delaySinceLastSenderReport: 196_608,
        },
      ],
    });
  });

  it('are receiver reports while nothing is sent, and end with BYE', async () => {
    const { session, tick, receive, reports } = await simulatedSession();
    session.configure({ ...PARAMETERS, direction: 'recvonly' });
    receive(PORT, audioPacket(1));
    tick(250);
    expect(reports()[0]?.packets.map((packet) => packet.type)).toEqual(['receiver_report', 'source_description']);
    await session.close();
    expect(reports().at(-1)?.packets.at(-1)?.type).toBe('bye');
  });

  it("are sent to the source of the peer's reports, not to an unknown source", async () => {
    const { session, tick, receive, reports } = await simulatedSession();
    session.configure(PARAMETERS);
    receive(PORT + 1, encodeRtcp([SENDER_REPORT]), '127.0.0.9', 6000);
    receive(PORT + 1, encodeRtcp([SENDER_REPORT]), '127.0.0.1', 7000);
    receive(PORT + 1, Uint8Array.of(0x80, 200, 0, 0), '127.0.0.1', 8000);
    tick(250);
    expect(reports()[0]?.to).toBe('127.0.0.1:7000');
  });
});

/** The peer's receiver report on our packets, which refers to our sender report. */
function receiverReportTo(report: RtcpPacket | undefined, delayMs: number): RtcpPacket {
  if (report?.type !== 'sender_report') throw new Error('no sender report');
  const block = {
    ssrc: report.ssrc,
    fractionLost: 12,
    cumulativeLost: 10,
    highestSequence: 0,
    jitter: 80,
    lastSenderReport: middleOfNtp(report.ntpSeconds, report.ntpFraction),
    delaySinceLastSenderReport: Math.round(delayMs * 65.536),
  };
  return { type: 'receiver_report', ssrc: 77, reports: [block] };
}

describe('media quality from RTCP', () => {
  it('has loss and jitter both ways, and the round trip from the report that the peer refers to', async () => {
    const { session, tick, receive, reports, quality } = await simulatedSession();
    session.configure(PARAMETERS);
    for (let sequence = 0; sequence < 250; sequence++) {
      if (sequence % 10 !== 3) receive(PORT, audioPacket(sequence));
      tick(1);
    }
    expect(quality()?.roundTripMs).toBeNull();
    expect(quality()?.outbound).toEqual({ packets: 250, lost: null, jitterMs: null, mos: null });
    // 120 ms after our report, 60 ms of which are the peer's delay.
    tick(6);
    receive(PORT + 1, encodeRtcp([receiverReportTo(reports()[0]?.packets[0], 60)]), '127.0.0.1', 5001);
    expect(quality()).toMatchObject({
      roundTripMs: { mean: 60, max: 60 },
      inbound: { packets: 225, lost: 25, jitterMs: { mean: 0 } },
      outbound: { packets: 256, lost: 10, jitterMs: { mean: 10, max: 10 } },
    });
    expect(quality()?.inbound.mos).toBeLessThan(3.5);
    expect(quality()?.outbound.mos).toBeGreaterThan(3.8);
    await session.close();
  });

  it('ignores references to a report that was never sent, and reports on another stream', async () => {
    const { session, tick, receive, reports, quality } = await simulatedSession();
    session.configure(PARAMETERS);
    tick(256);
    const report = receiverReportTo(reports()[0]?.packets[0], 60);
    if (report.type !== 'receiver_report') throw new Error('unreachable');
    const [block] = report.reports;
    if (block === undefined) throw new Error('unreachable');
    for (const wrong of [
      { ...block, lastSenderReport: block.lastSenderReport + 1 },
      { ...block, lastSenderReport: 0 },
      { ...block, delaySinceLastSenderReport: 65_536 * 10 },
    ]) {
      receive(PORT + 1, encodeRtcp([{ ...report, reports: [wrong] }]), '127.0.0.1', 5001);
    }
    expect(quality()?.roundTripMs).toBeNull();
    const foreign = { ...report, reports: [{ ...block, ssrc: 5, cumulativeLost: 200 }] };
    receive(PORT + 1, encodeRtcp([foreign]), '127.0.0.1', 5001);
    receive(PORT + 1, encodeRtcp([foreign]), '127.0.0.9', 5001);
    expect(quality()?.outbound.lost).toBe(10);
    await session.close();
  });
});

describe('RTCP on the RTP port', () => {
  it('is sent and received there if the peer negotiated it', async () => {
    const { session, tick, receive, reports, quality, audio } = await simulatedSession();
    session.configure({ ...PARAMETERS, rtcpMux: true });
    tick(250);
    expect(reports()).toEqual([]);
    const isReport = ({ packet }: SentPacket) => looksLikeRtcp(packet, packet.length);
    const [report] = audio().filter(isReport);
    expect(report?.to).toBe('127.0.0.1:5000');
    tick(5);
    receive(PORT, encodeRtcp([receiverReportTo(decodeRtcp(report?.packet ?? new Uint8Array())?.[0], 40)]));
    expect(quality()?.roundTripMs).toEqual({ mean: 60, max: 60 });
    await session.close();
    expect(decodeRtcp(audio().at(-1)?.packet ?? new Uint8Array())?.at(-1)?.type).toBe('bye');
  });

  it('is ignored if the peer did not negotiate it', async () => {
    const { session, tick, receive, reports, quality } = await simulatedSession();
    session.configure(PARAMETERS);
    tick(255);
    receive(PORT, encodeRtcp([receiverReportTo(reports()[0]?.packets[0], 40)]));
    expect(quality()?.roundTripMs).toBeNull();
    await session.close();
  });
});

describe('skipped packet', () => {
  it('advances the timestamp but not the sequence number, and the next packet has the marker', async () => {
    const { session, tick, audio } = await simulatedSession();
    session.configure(PARAMETERS);
    tick(2);
    session.skip(5);
    tick(1);
    const headers = audio().map(({ packet }) => {
      const view = new DataView(packet.buffer);
      return { marker: view.getUint8(1) >> 7, sequence: view.getUint16(2), timestamp: view.getUint32(4) };
    });
    const [, second, third] = headers;
    expect(headers.map((header) => header.marker)).toEqual([1, 0, 1]);
    expect((third?.sequence ?? 0) - (second?.sequence ?? 0)).toBe(1);
    expect((third?.timestamp ?? 0) - (second?.timestamp ?? 0)).toBe(6 * 160);
  });

  it('in packets of 60 ms costs no tone of a DTMF digit', async () => {
    const { session, tick, audio } = await simulatedSession();
    session.configure({ ...PARAMETERS, packetMs: 60, dtmfPayloadType: null });
    session.sendDtmf('5');
    // The tone lasts five ticks, a packet takes three.
    tick(2);
    session.skip(5);
    tick(2);
    session.skip(5);
    tick(8);
    const isTone = ({ packet }: SentPacket) => packet.subarray(RTP_HEADER_BYTES).some((code) => code !== MULAW_SILENCE);
    expect(audio().map(isTone)).toEqual([true, false, false, false]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { Leg, type LegHost } from '../../../sip/media-worker/leg.ts';
import { createOpus, type OpusCodecs } from '../../../sip/media-worker/opus-codec.ts';
import { loadResamplers, type Resamplers } from '../../../sip/media-worker/resampler.ts';
import { createSlotMemory } from '../../../sip/media-worker/slot-memory.ts';
import type { PacketReceiver } from '../../../sip/media-worker/udp-transport.ts';
import { MULAW_8K } from '../../../sip/media-worker/uplink.ts';
import { loadVoiceClassifiers, type VoiceClassifier } from '../../../sip/media-worker/vad.ts';
import { WorkerStatistics } from '../../../sip/media-worker/worker-statistics.ts';
import { decodeRtcp, encodeRtcp, type RtcpPacket } from '../../../sip/rtp/rtcp.ts';
import { encodeRtpHeader } from '../../../sip/rtp/rtp-packet.ts';

const PORT = 4000;
let resamplers: Resamplers;
let opus: OpusCodecs;
let createClassifier: () => VoiceClassifier;

beforeAll(async () => {
  resamplers = await loadResamplers();
  opus = createOpus();
  createClassifier = await loadVoiceClassifiers();
});

interface Sent {
  readonly packet: Uint8Array;
  readonly to: string;
}

/** A leg on a clock that the test moves and a network that keeps what is sent, by local port. */
async function simulatedLeg() {
  const receivers = new Map<number, PacketReceiver>();
  const sent = new Map<number, Sent[]>([
    [PORT, []],
    [PORT + 1, []],
  ]);
  const clock = { nowMs: 1000 };
  const host: LegHost = {
    transport: {
      bind: (port, receive) => {
        receivers.set(port, receive);
        let to = '';
        const aim = (address: string, at: number) => {
          to = `${address}:${at}`;
        };
        const send = (packet: Uint8Array) => sent.get(port)?.push({ packet: packet.slice(), to });
        return Promise.resolve({ connected: false, aim, connect: aim, send, close: () => Promise.resolve() });
      },
      poll: () => undefined,
      flush: () => undefined,
    },
    resamplers,
    opus,
    createClassifier,
    statistics: new WorkerStatistics(),
    nowMs: () => clock.nowMs,
    wallMs: () => clock.nowMs,
    random: () => 2 ** 31,
    emit: () => undefined,
    fail: (_, error) => {
      throw error;
    },
    ready: () => undefined,
  };
  const order = {
    memory: createSlotMemory().shared,
    port: PORT,
    format: MULAW_8K,
    mediaTimeoutMs: 60_000,
    recording: null,
    absentMs: 0,
  };
  const leg = await Leg.open(order, { slot: 0, generation: 1 }, host);
  const tick = (ticks: number) => {
    for (let i = 0; i < ticks; i++) {
      clock.nowMs += 20;
      leg.tick();
    }
  };
  const receive = (port: number, packet: Uint8Array, address = '127.0.0.1', from = 5000) =>
    receivers.get(port)?.(packet, address, from);
  const reports = () => (sent.get(PORT + 1) ?? []).map(({ packet, to }) => ({ to, packets: decodeRtcp(packet) ?? [] }));
  return { leg, tick, receive, reports, audio: () => sent.get(PORT) ?? [] };
}

const SESSION = {
  codec: 'pcmu',
  payloadType: 0,
  dtmfPayloadType: 101,
  remoteAddress: '127.0.0.1',
  remotePort: 5000,
  allowedAddresses: [],
  direction: 'sendrecv',
} as const;

function audioPacket(sequence: number): Uint8Array {
  const packet = new Uint8Array(172);
  encodeRtpHeader(packet, 0, false, sequence, sequence * 160, 77);
  return packet;
}

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

describe('reports', () => {
  test('one goes out every five seconds, to the port above RTP, and tells what was sent', async () => {
    const { leg, tick, reports, audio } = await simulatedLeg();
    leg.configure(SESSION);
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

  test("it tells the caller's loss and answers the last sender report", async () => {
    const { leg, tick, receive, reports } = await simulatedLeg();
    leg.configure(SESSION);
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

  test('while nothing is sent it is a receiver report, and the last one says BYE', async () => {
    const { leg, tick, receive, reports } = await simulatedLeg();
    leg.configure({ ...SESSION, direction: 'recvonly' });
    receive(PORT, audioPacket(1));
    tick(250);
    expect(reports()[0]?.packets.map((packet) => packet.type)).toEqual(['receiver_report', 'source_description']);
    await leg.close();
    expect(reports().at(-1)?.packets.at(-1)?.type).toBe('bye');
  });

  test("goes where the peer's own reports come from; a stranger's are not heard", async () => {
    const { leg, tick, receive, reports } = await simulatedLeg();
    leg.configure(SESSION);
    receive(PORT + 1, encodeRtcp([SENDER_REPORT]), '127.0.0.9', 6000);
    receive(PORT + 1, encodeRtcp([SENDER_REPORT]), '127.0.0.1', 7000);
    receive(PORT + 1, Uint8Array.of(0x80, 200, 0, 0), '127.0.0.1', 8000);
    tick(250);
    expect(reports()[0]?.to).toBe('127.0.0.1:7000');
  });
});

describe('a packet that was due too long ago', () => {
  test('moves the timestamp on, not the sequence number, and the next packet carries the marker', async () => {
    const { leg, tick, audio } = await simulatedLeg();
    leg.configure(SESSION);
    tick(2);
    leg.skip(5);
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
});

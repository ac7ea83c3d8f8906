import { loadResamplers } from '../../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../../engine/ports/media.ts';
import { pcapFile } from '../../../../sip/capture/pcap.ts';
import { loadVoiceClassifiers } from '../../../../sip/media/detection/voice-activity.ts';
import { MULAW_8K } from '../../../../sip/media/main-thread/peer-audio-reader.ts';
import { readQuality } from '../../../../sip/media/quality/media-quality.ts';
import type { SourceVerification } from '../../../../sip/media/source-verification.ts';
import type { PacketReceiver } from '../../../../sip/media/udp/udp-sockets.ts';
import { RtpSession, type WorkerContext } from '../../../../sip/media/worker/rtp-session.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';
import { WorkerStatistics } from '../../../../sip/media/worker-channel/worker-statistics.ts';
import { createOpus } from '../../../../sip/rtp/codecs/opus-codec.ts';
import { encodeRtpHeader } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { decodeRtcp } from '../../../../sip/rtp/rtcp/rtcp-packet.ts';
import { readPcap } from '../../capture/read-pcap.ts';

/** The RTP port of the session. */
export const PORT = 4000;

export const PARAMETERS = {
  codec: 'pcmu',
  payloadType: 0,
  dtmfPayloadType: 101,
  remoteAddress: '127.0.0.1',
  remotePort: 5000,
  allowedAddresses: [],
  direction: 'sendrecv',
} as const;

/** 20 ms of G.711 of one stream. */
export function audioPacket(sequence: number, payload = new Uint8Array(160)): Uint8Array {
  const packet = new Uint8Array(172);
  packet.set(payload, 12);
  encodeRtpHeader(packet, 0, false, sequence, sequence * 160, 77);
  return packet;
}

export interface SentPacket {
  readonly packet: Uint8Array;
  readonly to: string;
}

/** A session on a simulated clock, over a transport that keeps the sent packets by local port. */
export async function simulatedSession() {
  const [resamplers, createClassifier] = await Promise.all([loadResamplers(), loadVoiceClassifiers()]);
  const opus = createOpus();
  const receivers = new Map<number, PacketReceiver>();
  const sent = new Map<number, SentPacket[]>([
    [PORT, []],
    [PORT + 1, []],
  ]);
  const captured: Uint8Array[] = [];
  const verifications: SourceVerification[] = [];
  const events: MediaEvent[] = [];
  const clock = { nowMs: 1000 };
  const context: WorkerContext = {
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
    },
    resamplers,
    opus,
    createClassifier,
    statistics: new WorkerStatistics(),
    nowMs: () => clock.nowMs,
    wallMs: () => clock.nowMs,
    random: () => 2 ** 31,
    emit: (_, event) => void events.push(event),
    sourceVerification: (_, result) => void verifications.push(result),
    captured: (_, records) => captured.push(records),
    fail: (_, error) => {
      throw error;
    },
    ready: () => undefined,
  };
  const memory = createSessionMemory();
  const command = {
    memory: memory.shared,
    format: MULAW_8K,
    mediaTimeoutMs: 60_000,
    recording: null,
    absentMs: 0,
  };
  const session = await RtpSession.open(command, PORT, { slot: 0, generation: 1 }, context);
  const tick = (ticks: number) => {
    for (let i = 0; i < ticks; i++) {
      clock.nowMs += 20;
      session.tick();
    }
  };
  /** The worker does not run for this number of ticks. */
  const stall = (ticks: number) => {
    clock.nowMs += ticks * 20;
    session.skip(ticks);
  };
  const receive = (port: number, packet: Uint8Array, address = '127.0.0.1', from = 5000) =>
    receivers.get(port)?.(packet, address, from);
  const reports = () => (sent.get(PORT + 1) ?? []).map(({ packet, to }) => ({ to, packets: decodeRtcp(packet) ?? [] }));
  const quality = () => readQuality(memory.quality);
  const capture = () => readPcap(pcapFile(captured));
  const audio = () => sent.get(PORT) ?? [];
  return { session, tick, receive, reports, quality, capture, audio, verifications, events, stall };
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadResamplers } from '../../base/audio/resampler.ts';
import { loadVoiceClassifiers } from '../../sip/media/detection/voice-activity.ts';
import { MULAW_8K } from '../../sip/media/main-thread/peer-audio-reader.ts';
import type { PacketReceiver } from '../../sip/media/udp/udp-sockets.ts';
import { RtpSession, type WorkerContext } from '../../sip/media/worker/rtp-session.ts';
import { createSessionMemory } from '../../sip/media/worker-channel/session-memory.ts';
import { WorkerStatistics } from '../../sip/media/worker-channel/worker-statistics.ts';
import { createOpus } from '../../sip/rtp/codecs/opus-codec.ts';
import { encodeRtpHeader } from '../../sip/rtp/packet/rtp-packet.ts';

const WARM_UP_PACKETS = 20_000;
const MEASURED_PACKETS = 20_000;
const PORT = 2;

/** Heap allocations of a session per packet in each direction, bytes. The transport allocates nothing. */
export async function heapBytesPerPacket(): Promise<{ inBytes: number; outBytes: number }> {
  let receive: PacketReceiver = () => undefined;
  // Fractions, like the real clock's: V8 stores whole numbers without boxing them, which would hide allocations.
  const clock = Float64Array.of(0.013);
  const host: WorkerContext = {
    transport: {
      bind: (port, receiver) => {
        if (port === PORT) receive = receiver;
        return Promise.resolve({
          connected: true,
          aim: () => undefined,
          connect: () => undefined,
          send: () => undefined,
          close: () => Promise.resolve(),
        });
      },
      poll: () => undefined,
    },
    resamplers: await loadResamplers(),
    opus: createOpus(),
    createClassifier: await loadVoiceClassifiers(),
    statistics: new WorkerStatistics(),
    nowMs: () => clock[0] ?? 0,
    wallMs: () => 0,
    random: () => 1,
    emit: () => undefined,
    sourceVerification: () => undefined,
    captured: () => undefined,
    fail: (_, error) => {
      throw error;
    },
    ready: () => undefined,
  };
  const memory = createSessionMemory();
  const options = {
    memory: memory.shared,
    format: MULAW_8K,
    mediaTimeoutMs: 60_000,
    recording: null,
    absentMs: 0,
  };
  const leg = await RtpSession.open(options, PORT, { slot: 0, generation: 1 }, host);
  leg.configure({
    codec: 'pcmu',
    payloadType: 0,
    dtmfPayloadType: 101,
    remoteAddress: '127.0.0.1',
    remotePort: 9,
    allowedAddresses: [],
    direction: 'sendrecv',
  });
  const packet = new Uint8Array(172);
  let sent = 0;
  const bringIn = () => {
    encodeRtpHeader(packet, 0, false, sent & 0xffff, (sent * 160) >>> 0, 7);
    sent++;
    clock[0] = (clock[0] ?? 0) + 0.017;
    receive(packet, '127.0.0.1', 9);
  };
  const goOut = () => {
    clock[0] = (clock[0] ?? 0) + 20.013;
    leg.tick();
  };
  const inBytes = perPacket(bringIn);
  const outBytes = perPacket(goOut);
  await leg.close();
  return { inBytes, outBytes };
}

/** Heap growth per packet. The young generation is large enough that no collection runs during the measurement. */
function perPacket(act: () => void): number {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--semi-space-growth-factor=2');
  const collect: () => void = runInNewContext('gc');
  for (let i = 0; i < WARM_UP_PACKETS; i++) act();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < MEASURED_PACKETS; i++) act();
  return Math.max(0, process.memoryUsage().heapUsed - before) / MEASURED_PACKETS;
}

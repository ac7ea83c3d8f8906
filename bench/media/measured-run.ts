import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createMediaService, type WorkerMediaService } from '../../sip/media/main-thread/create-media-service.ts';
import type { RtpMediaSession } from '../../sip/media/media-service.ts';
import type { UdpSocketChoice } from '../../sip/media/udp/udp-sockets.ts';
import type { GeneratorCommand, GeneratorNotice, GeneratorReport } from './packet-generator.ts';

export interface RunResult extends GeneratorReport {
  /** CPU of this process in the window, without its main thread. */
  readonly coreShare: number;
  readonly mainShare: number;
  /** Packets of the generator that the worker did not receive. */
  readonly inboundLost: number;
  readonly skipped: number;
  readonly underruns: number;
}

const MULAW = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
/** 2 s of agent speech, played again each time it has drained. */
const SPEECH = Uint8Array.from({ length: 16_000 }, (_, i) => (i * 17) & 0x7f);
const BLOCK_MS = 5;
const BLOCK_INTERVAL_MS = 50;

class Generator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(new URL('./packet-generator.ts', import.meta.url));
  }

  command(command: GeneratorCommand): void {
    this.#child.send(command);
  }

  /** The next notice of a kind. */
  next<T extends GeneratorNotice['type']>(type: T): Promise<Extract<GeneratorNotice, { type: T }>> {
    return new Promise((resolve, reject) => {
      this.#child.once('exit', (code) => reject(new Error(`The generator exited with ${code}`)));
      const hear = (notice: GeneratorNotice) => {
        if (!isOf(notice, type)) return;
        this.#child.off('message', hear);
        resolve(notice);
      };
      this.#child.on('message', hear);
    });
  }

  async end(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.command({ type: 'end' });
    await exit;
  }
}

function isOf<T extends GeneratorNotice['type']>(
  notice: GeneratorNotice,
  type: T,
): notice is Extract<GeneratorNotice, { type: T }> {
  return notice.type === type;
}

/** Measures one window of the media plane with one worker. */
export async function runMedia(
  calls: number,
  seconds: number,
  options: { blocked: boolean; sockets: UdpSocketChoice },
): Promise<RunResult> {
  const generator = new Generator();
  const media = createMediaService({ workers: 1, sockets: options.sockets });
  const bound = generator.next('bound');
  generator.command({ type: 'bind', calls, seconds });
  const { ports: peers } = await bound;
  const legs: RtpMediaSession[] = [];
  for (const [i, peer] of peers.entries()) legs.push(await openCall(media, `${i}`, peer));
  const blocker = options.blocked ? setInterval(block, BLOCK_INTERVAL_MS) : null;
  const [worker] = media.workers;
  const lost = () => ({ skipped: worker?.skipped ?? 0, underruns: worker?.underruns ?? 0 });
  let before = lost();
  const measured = await measure(
    generator,
    legs.map((leg) => leg.port),
    () => {
      before = lost();
    },
  );
  const after = lost();
  const { packetsReceived } = await media.statistics();
  if (blocker !== null) clearInterval(blocker);
  await media.close();
  await generator.end();
  const inboundLost = measured.sent - packetsReceived;
  const skipped = after.skipped - before.skipped;
  return { ...measured, inboundLost, skipped, underruns: after.underruns - before.underruns };
}

async function openCall(media: WorkerMediaService, callId: string, peer: number): Promise<RtpMediaSession> {
  const leg = await media.open({ callId, mediaTimeoutMs: 60_000, codec: 'pcmu' });
  leg.audio.onAudio(() => undefined);
  const speak = () => {
    while (leg.audio.play(0, 0, MULAW, SPEECH));
  };
  leg.audio.onDrained(speak);
  speak();
  leg.configure({
    codec: 'pcmu',
    payloadType: 0,
    dtmfPayloadType: 101,
    remoteAddress: '127.0.0.1',
    remotePort: peer,
    allowedAddresses: [],
    direction: 'sendrecv',
  });
  return leg;
}

async function measure(generator: Generator, ports: readonly number[], onOpen = () => {}) {
  const opened = generator.next('window');
  const done = generator.next('done');
  generator.command({ type: 'play', ports });
  await opened;
  onOpen();
  const closed = generator.next('window');
  const startMs = performance.now();
  const process0 = process.cpuUsage();
  const main0 = process.threadCpuUsage();
  await closed;
  const all = process.cpuUsage(process0);
  const main = process.threadCpuUsage(main0);
  const elapsedMs = performance.now() - startMs;
  const mainMs = (main.user + main.system) / 1000;
  const workerMs = (all.user + all.system) / 1000 - mainMs;
  const { type: _, ...report } = await done;
  return { ...report, coreShare: workerMs / elapsedMs, mainShare: mainMs / elapsedMs };
}

function block(): void {
  const end = performance.now() + BLOCK_MS;
  while (performance.now() < end);
}

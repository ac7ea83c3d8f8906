import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/**
 * The peers of all calls, in a separate process: sends streams of 172-byte packets every 20 ms, with random phases from a
 * fixed seed, and measures the pacing of the packets it receives.
 */
export interface GeneratorOptions {
  readonly calls: number;
  readonly seconds: number;
}

export type GeneratorNotice =
  | { readonly type: 'bound'; readonly ports: readonly number[] }
  | { readonly type: 'window'; readonly edge: 'open' | 'closed' }
  | ({ readonly type: 'done' } & GeneratorReport);

export type GeneratorCommand =
  | ({ readonly type: 'bind' } & GeneratorOptions)
  | { readonly type: 'play'; readonly ports: readonly number[] }
  | { readonly type: 'end' };

export interface GeneratorReport {
  /** Deviation of arrivals from their stream's 20 ms grid, in ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Sequence numbers that did not arrive. */
  readonly missing: number;
  /** Missing share of 50 packets per second and call, percent; negative: more arrived. */
  readonly deficitPercent: number;
  readonly received: number;
  readonly sent: number;
  /** The generator's share of a core, and its largest send delay. */
  readonly share: number;
  readonly sendLatenessMsMax: number;
}

/** Time for the streams to settle before the window opens. */
const WARM_UP_MS = 1500;
const PACKET_BYTES = 172;
const FRAME_MS = 20;
/** In mu-law. */
const SILENCE = 0xff;

interface Stream {
  readonly socket: Socket;
  readonly packet: Buffer;
  readonly phaseMs: number;
  port: number;
  sequence: number;
  sent: number;
  lastSequence: number;
  missing: number;
  readonly deviations: Float32Array;
  firstMs: number;
  firstTimestamp: number;
  received: number;
}

let streams: Stream[] = [];
let seconds = 0;
let measuring = false;

process.on('message', (command: GeneratorCommand) => {
  if (command.type === 'bind') void bind(command);
  else if (command.type === 'play') play(command.ports);
  else process.exit(0);
});

function notify(notice: GeneratorNotice): void {
  process.send?.(notice);
}

async function bind(options: GeneratorOptions): Promise<void> {
  seconds = options.seconds;
  let seed = 12_345;
  const random = () => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed / 0x7fffffff;
  };
  for (let i = 0; i < options.calls; i++) {
    const socket = createSocket('udp4');
    socket.on('error', () => undefined);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const stream: Stream = {
      socket,
      packet: Buffer.alloc(PACKET_BYTES),
      phaseMs: random() * FRAME_MS,
      port: 0,
      sequence: Math.floor(random() * 65_536),
      sent: 0,
      lastSequence: -1,
      missing: 0,
      deviations: new Float32Array(options.seconds * 50 + 100),
      firstMs: 0,
      firstTimestamp: 0,
      received: 0,
    };
    // Half of the callers send noise above the energy gate, so that each frame is classified. The others are silent.
    for (let at = 12; at < PACKET_BYTES; at++) stream.packet[at] = i % 2 === 0 ? Math.floor(random() * 256) : SILENCE;
    stream.packet[0] = 0x80;
    stream.packet.writeUInt32BE(i + 1, 8);
    socket.on('message', (bytes) => receive(stream, bytes));
    streams.push(stream);
  }
  notify({ type: 'bound', ports: streams.map((stream) => stream.socket.address().port) });
}

function receive(stream: Stream, bytes: Buffer): void {
  if (!measuring || bytes.length < 12) return;
  const nowMs = performance.now();
  const sequence = bytes.readUInt16BE(2);
  const timestamp = bytes.readUInt32BE(4);
  if (stream.received === 0) {
    stream.firstMs = nowMs;
    stream.firstTimestamp = timestamp;
  } else stream.missing += ((sequence - stream.lastSequence) & 0xffff) - 1;
  stream.lastSequence = sequence;
  const due = stream.firstMs + ((timestamp - stream.firstTimestamp) | 0) / 8;
  if (stream.received < stream.deviations.length) stream.deviations[stream.received] = nowMs - due;
  stream.received++;
}

function play(ports: readonly number[]): void {
  streams = streams.filter((stream, i) => {
    stream.port = ports[i] ?? 0;
    if (stream.port !== 0) stream.socket.connect(stream.port, '127.0.0.1');
    return stream.port !== 0;
  });
  const byPhase = [...streams].sort((a, b) => a.phaseMs - b.phaseMs);
  const startMs = performance.now() + 50;
  const openMs = startMs + WARM_UP_MS;
  const closeMs = openMs + seconds * 1000;
  let next = 0;
  let round = 0;
  let sendLatenessMsMax = 0;
  let cpu = process.cpuUsage();
  const step = () => {
    const nowMs = performance.now();
    if (!measuring && nowMs >= openMs && nowMs < closeMs) {
      measuring = true;
      cpu = process.cpuUsage();
      notify({ type: 'window', edge: 'open' });
    }
    if (nowMs >= closeMs) {
      measuring = false;
      notify({ type: 'window', edge: 'closed' });
      const { user, system } = process.cpuUsage(cpu);
      notify({ type: 'done', ...report((user + system) / 1000 / (seconds * 1000), sendLatenessMsMax) });
      return;
    }
    for (;;) {
      const stream = byPhase[next];
      if (stream === undefined) break;
      const dueMs = startMs + round * FRAME_MS + stream.phaseMs;
      const lateMs = performance.now() - dueMs;
      if (lateMs < 0) break;
      if (measuring && lateMs > sendLatenessMsMax) sendLatenessMsMax = lateMs;
      send(stream);
      next++;
      if (next === byPhase.length) {
        next = 0;
        round++;
      }
    }
    setTimeout(step, 1);
  };
  step();
}

function send(stream: Stream): void {
  stream.packet.writeUInt16BE(stream.sequence, 2);
  stream.packet.writeUInt32BE((stream.sent * 160) >>> 0, 4);
  stream.sequence = (stream.sequence + 1) & 0xffff;
  stream.sent++;
  stream.socket.send(stream.packet);
}

function report(share: number, sendLatenessMsMax: number): GeneratorReport {
  const all: number[] = [];
  let missing = 0;
  let received = 0;
  for (const stream of streams) {
    const deviations = stream.deviations
      .subarray(0, Math.min(stream.received, stream.deviations.length))
      .slice()
      .sort();
    const median = deviations[deviations.length >> 1] ?? 0;
    for (const deviation of deviations) all.push(Math.abs(deviation - median));
    missing += stream.missing;
    received += stream.received;
  }
  const sorted = Float32Array.from(all).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const expected = streams.length * 50 * seconds;
  return {
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: at(1),
    missing,
    deficitPercent: (1 - received / expected) * 100,
    received,
    sent: streams.reduce((sum, stream) => sum + stream.sent, 0),
    share,
    sendLatenessMsMax,
  };
}

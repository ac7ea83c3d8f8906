import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createUdpSockets } from '../../sip/media/udp/create-udp-sockets.ts';
import type { UdpSocket } from '../../sip/media/udp/udp-sockets.ts';

/** The program that returns the packets: a worker with either kind of sockets, or the same loop in C. */
export type Echo = 'C' | 'epoll' | 'dgram';

interface RunningEcho {
  readonly ports: readonly number[];
  /** CPU of its thread so far, µs. */
  readonly cpuUs: () => Promise<number>;
  readonly end: () => Promise<unknown>;
}

interface Peer {
  readonly socket: UdpSocket;
  readonly port: number;
}

const ADDRESS = '127.0.0.1';
const PEER_FIRST_PORT = 20_000;
const ECHO_FIRST_PORT = 10_000;
const PACKET_BYTES = 172;
/** Calls whose packet is due in the same tick of the pacer. */
const TICKS = 20;
const WARM_UP_MS = 1000;
/** Packets still on their way when the senders stop. */
const DRAIN_MS = 100;

/** The compiled loop in C; null without a compiler. */
export function compileEcho(): { path: string; remove: () => void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-echo-'));
  const path = join(folder, 'echo');
  const remove = () => rmSync(folder, { recursive: true });
  try {
    execFileSync('gcc', ['-O2', '-o', path, fileURLToPath(new URL('./echo.c', import.meta.url))]);
    return { path, remove };
  } catch {
    remove();
    return null;
  }
}

/**
 * CPU of the echo for one packet, in and out, µs. A twentieth of the calls sends in each millisecond, so that an echo has
 * the same packets in each turn however slow the machine is.
 */
export async function echoCost(echo: Echo, calls: number, seconds: number, compiled: string): Promise<number> {
  let returned = 0;
  const peers = await bindPeers(calls, () => returned++);
  const running = await start(
    echo,
    peers.map(({ port }) => port),
    compiled,
  );
  for (const [i, { socket }] of peers.entries()) socket.connect(ADDRESS, running.ports[i] ?? 0);
  await play(peers, WARM_UP_MS);
  returned = 0;
  const before = await running.cpuUs();
  await play(peers, seconds * 1000);
  const spent = (await running.cpuUs()) - before;
  await running.end();
  for (const { socket } of peers) await socket.close();
  return spent / returned;
}

async function bindPeers(calls: number, receive: () => void): Promise<readonly Peer[]> {
  const { sockets } = await createUdpSockets('auto', ADDRESS, () => undefined);
  const peers: Peer[] = [];
  for (let port = PEER_FIRST_PORT; peers.length < calls; port++) {
    const socket = await sockets.bind(port, receive).catch(() => null);
    if (socket !== null) peers.push({ socket, port });
  }
  return peers;
}

function start(echo: Echo, peers: readonly number[], compiled: string): Promise<RunningEcho> {
  return echo === 'C' ? startProgram(compiled, peers) : startWorker(echo, peers);
}

async function startWorker(sockets: 'epoll' | 'dgram', peers: readonly number[]): Promise<RunningEcho> {
  const workerData = { peers, firstPort: ECHO_FIRST_PORT, sockets };
  const worker = new Worker(new URL('./echo-worker.ts', import.meta.url), { workerData });
  const [ports]: (readonly number[])[] = await once(worker, 'message');
  const cpuUs = async () => {
    const { user, system } = await worker.cpuUsage();
    return user + system;
  };
  return { ports: ports ?? [], cpuUs, end: () => worker.terminate() };
}

async function startProgram(path: string, peers: readonly number[]): Promise<RunningEcho> {
  const program: ChildProcess = spawn(path, [`${ECHO_FIRST_PORT}`, ...peers.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (program.stdout === null) throw new Error('The echo has no output');
  const ports: number[] = [];
  for await (const line of createInterface(program.stdout)) {
    if (ports.push(Number(line)) === peers.length) break;
  }
  // The scheduler's first number: nanoseconds on a core (proc_pid_schedstat(5)).
  const cpuUs = async () => Number(readFileSync(`/proc/${program.pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  const end = () => {
    const exit = once(program, 'exit');
    program.kill();
    return exit;
  };
  return { ports, cpuUs, end };
}

async function play(peers: readonly Peer[], durationMs: number): Promise<void> {
  const packet = new Uint8Array(PACKET_BYTES);
  const endMs = performance.now() + durationMs;
  const inTick = peers.length / TICKS;
  for (let tick = 0; performance.now() < endMs; tick++) {
    const from = (tick % TICKS) * inTick;
    for (const { socket } of peers.slice(from, from + inTick)) socket.send(packet);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
}

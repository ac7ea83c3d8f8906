import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../service/rig/eventually.ts';
import { freeSipPort } from './sip-port.ts';

const CONFIGURATION = resolve(import.meta.dirname, '../../deploy/kamailio/kamailio.cfg');
const START_MS = 20_000;

export interface Kamailio {
  readonly port: number;
  readonly tlsPort: number;
  /** Admits the calls of an address. Once in five seconds. */
  admit(address: string): Promise<void>;
  close(): Promise<void>;
}

export interface KamailioSettings {
  /** The addresses that may call. */
  readonly carriers?: readonly string[];
  /** How long a call may ring. */
  readonly ringMs?: number;
}

/** Debian's Kamailio with our configuration, in front of nodes on these loopback ports. */
export async function startKamailio(
  nodePorts: readonly number[],
  { certificatePath, keyPath }: { readonly certificatePath: string; readonly keyPath: string },
  { carriers = ['127.0.0.1'], ringMs }: KamailioSettings = {},
): Promise<Kamailio> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-kamailio-'));
  const port = await freeSipPort(4);
  const tlsPort = port + 2;
  await writeFile(join(folder, 'dispatcher.list'), nodePorts.map((node) => `1 sip:127.0.0.1:${node}\n`).join(''));
  const carriersList = join(folder, 'carriers.list');
  await writeFile(carriersList, carriers.map((address) => `1 ${address}\n`).join(''));
  await writeFile(
    join(folder, 'tls.cfg'),
    `[server:default]\nmethod = TLSv1.2+\ncertificate = ${certificatePath}\nprivate_key = ${keyPath}\n`,
  );
  const controlSocket = join(folder, 'control');
  const defined = {
    LISTEN_UDP: `udp:127.0.0.1:${port}`,
    LISTEN_TCP: `tcp:127.0.0.1:${port}`,
    LISTEN_TLS: `tls:127.0.0.1:${tlsPort}`,
    NODES_LIST: `"${join(folder, 'dispatcher.list')}"`,
    CARRIERS_LIST: `"${carriersList}"`,
    CONTROL_SOCKET: `"unix:${controlSocket}"`,
    ...(ringMs !== undefined && { RING_MS: String(ringMs) }),
    TLS_SETTINGS: `"${join(folder, 'tls.cfg')}"`,
  };
  const definitions = Object.entries(defined).flatMap(([name, value]) => ['-A', `${name}=${value}`]);
  const child: ChildProcess = spawn(
    'kamailio',
    ['-f', CONFIGURATION, ...definitions, '-DD', '-E', '-m', '32', '-M', '4', '-Y', folder],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-20_000);
  });
  const close = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  };
  try {
    await eventually(() => isListening(port).catch(() => Promise.reject(new Error(output))), START_MS);
  } catch (error) {
    await close();
    throw error;
  }
  const admit = async (address: string) => {
    await appendFile(carriersList, `1 ${address}\n`);
    const reload = ['-s', `unix:${controlSocket}`, 'permissions.addressReload'];
    const { stdout } = await promisify(execFile)('kamcmd', reload);
    // Its exit status is 0 also after an error.
    if (!stdout.startsWith('Reload OK')) throw new Error(stdout);
  };
  return { port, tlsPort, admit, close };
}

async function isListening(port: number): Promise<void> {
  const socket = connectTcp(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

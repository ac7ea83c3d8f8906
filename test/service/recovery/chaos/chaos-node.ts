import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freeSipPort } from '../../../peers/sip-port.ts';
import { type ServiceProcess, startServiceProcess } from '../../rig/service-process.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';
import { callsWithAudio } from './disk-recordings.ts';

const CALL_ID = /"call_id":"([\w-]+)"/;
/** RTP ports of one node. */
const RTP_PORTS = 100;
/** Starts of a process while PostgreSQL is down: longer than an outage. */
const STARTS_MAX = 60;
const RESTART_MS = 1_000;
const LOST_WRITE = 'call write failed';

/** One node with its data directory, ports and way to the database, which outlive its processes. */
export class ChaosNode {
  readonly name: string;
  readonly database: DatabaseProxy;
  /** A fault is in progress, or its process starts. */
  isDisturbed = false;
  /** Processes that ended without being killed. */
  unexpectedExits = 0;
  /** Log lines of writes that were lost, of all its processes. */
  readonly lostWrites: string[] = [];
  /** Log lines of each call, of all its processes, by call id. */
  readonly callLines = new Map<string, string[]>();
  /** Ids of the calls whose recording had audio on this disk when a process was killed. */
  readonly spooledAtKills = new Set<string>();
  readonly #environment: Record<string, string>;
  #process: ServiceProcess | null = null;

  private constructor(name: string, database: DatabaseProxy, environment: Record<string, string>) {
    this.name = name;
    this.database = database;
    this.#environment = environment;
  }

  /** @param firstRtpPort even, with 99 free ports after it */
  static async start(
    name: string,
    databaseUrl: string,
    firstRtpPort: number,
    environment: Record<string, string>,
  ): Promise<ChaosNode> {
    const database = await startDatabaseProxy(databaseUrl);
    const node = new ChaosNode(name, database, {
      ...environment,
      DATABASE_URL: database.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), `trunkline-chaos-${name}-`)),
      SIP_PORT: String(await freeSipPort()),
      RTP_PORTS: `${firstRtpPort}-${firstRtpPort + RTP_PORTS - 1}`,
    });
    await node.#start();
    return node;
  }

  get process(): ServiceProcess {
    if (this.#process === null) throw new Error(`node ${this.name} has no process`);
    return this.#process;
  }

  get dataDir(): string {
    return this.process.dataDir;
  }

  /** Sends SIGKILL, and starts the next process after `downMs`. */
  async kill(downMs: number): Promise<void> {
    const { child } = this.process;
    const exited = once(child, 'exit');
    child.removeAllListeners('exit');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await Promise.race([exited, gone]);
    // The next process may delete files.
    for (const callId of await callsWithAudio(this.dataDir)) this.spooledAtKills.add(callId);
    await pause(downMs);
    await this.#start();
  }

  /** The process stands still for `ms`. */
  async stall(ms: number): Promise<void> {
    this.process.child.kill('SIGSTOP');
    await pause(ms);
    this.process.child.kill('SIGCONT');
  }

  async partition(state: 'stall' | 'cut', ms: number): Promise<void> {
    this.database.set(state);
    await pause(ms);
    this.database.set('up');
  }

  async stop(): Promise<void> {
    const { child } = this.process;
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await this.database.close();
  }

  /** Again after a failure, as systemd does: PostgreSQL may be restarting. */
  async #started(): Promise<ServiceProcess> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await startServiceProcess(this.#environment);
      } catch (error) {
        if (tries === STARTS_MAX) throw error;
        await pause(RESTART_MS);
      }
    }
  }

  async #start(): Promise<void> {
    this.#process = await this.#started();
    const { child } = this.#process;
    child.on('exit', () => {
      this.unexpectedExits += 1;
    });
    if (child.stdout === null) return;
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes(LOST_WRITE)) this.lostWrites.push(line);
      const callId = CALL_ID.exec(line)?.[1];
      if (callId !== undefined) this.callLines.set(callId, [...(this.callLines.get(callId) ?? []), line]);
    });
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

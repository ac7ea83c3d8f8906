import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import type { PartName } from '../../../src/service/lifecycle/service-parts.ts';
import { startService } from '../../../src/service/service.ts';

/** The result of one failed start. */
export interface FailedStart {
  readonly part: PartName;
  readonly error: string;
  /** Kinds of the handles that keep the process alive. */
  readonly left: readonly string[];
}

/** Sockets close some time after the part that owns them. */
const SETTLE_MS = 5_000;
const CHECK_EVERY_MS = 20;

/** Prepares what makes a part fail. Returns the environment variables that lead to it. */
type Fault = (dataDir: string) => Promise<Record<string, string>>;

/** A fault for each part whose `begin` opens something before it can fail. */
const FAULTS: readonly { readonly part: PartName; readonly fault: Fault }[] = [
  {
    part: 'database',
    fault: async (dataDir) => {
      await writeFile(join(dataDir, 'trunkline.db'), 'not a database '.repeat(500));
      return {};
    },
  },
  { part: 'signalling', fault: async () => ({ SIP_PORT: String(await takenUdpPort()) }) },
  {
    part: 'calls',
    fault: async (dataDir) => {
      const file = join(dataDir, 'prices.json');
      await writeFile(file, 'not JSON');
      return { PRICES_FILE: file };
    },
  },
  { part: 'API', fault: async () => ({ HTTP_PORT: String(await takenTcpPort()) }) },
];

/** The failures of one process: right after each of these parts, with these environment variables, or within those of `FAULTS`. */
export type FailingStarts =
  | { readonly moment: 'after'; readonly parts: readonly PartName[]; readonly environment: Record<string, string> }
  | { readonly moment: 'within' };

/**
 * Starts the service once for each part, with a failure. Prints one `FailedStart` a line. The process then exits by itself if no handle
 * is left. Argument: JSON of `FailingStarts`.
 */
async function failEachPart(starts: FailingStarts): Promise<void> {
  if (starts.moment === 'within') {
    for (const { part, fault } of FAULTS) await report(part, fault, null);
    return;
  }
  const { environment, parts } = starts;
  const environmentOf = (part: PartName) => ({ ...environment, ...(part === 'call hosts' && { CALL_HOSTS: '2' }) });
  for (const part of parts) await report(part, async () => environmentOf(part), part);
}

async function report(part: PartName, fault: Fault, failsAfter: PartName | null): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-failing-start-'));
  const environment = await fault(dataDir);
  const before = handles();
  const error = await failedStart(dataDir, environment, failsAfter);
  const failed: FailedStart = { part, error, left: await handlesBeyond(before) };
  process.stdout.write(`${JSON.stringify(failed)}\n`);
}

async function takenUdpPort(): Promise<number> {
  const socket = createSocket('udp4').unref();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}

async function takenTcpPort(): Promise<number> {
  const server = createServer().unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function failedStart(
  dataDir: string,
  environment: Record<string, string>,
  failsAfter: PartName | null,
): Promise<string> {
  const configuration = loadConfiguration({
    DATA_DIR: dataDir,
    HTTP_PORT: '0',
    METRICS_BIND: '127.0.0.1:0',
    SIP_PORT: '0',
    RETENTION_DAYS: '1',
    // The starts share a PostgreSQL database, but no data directory.
    TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
    ...environment,
  });
  const onPartStarted = (started: PartName) => {
    if (started === failsAfter) throw new Error(`failed after ${started}`);
  };
  try {
    const service = await startService({ configuration, settings: [], log: pino({ enabled: false }), onPartStarted });
    await service.stop(0);
    return 'started';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

/** Active handles without those of standard output, which is a pipe. */
function handles(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap' && kind !== 'Immediate');
}

async function handlesBeyond(before: readonly string[]): Promise<string[]> {
  for (let waitedMs = 0; ; waitedMs += CHECK_EVERY_MS) {
    const left = handles();
    for (const kind of before) if (left.includes(kind)) left.splice(left.indexOf(kind), 1);
    if (left.length === 0 || waitedMs >= SETTLE_MS) return left;
    await pause(CHECK_EVERY_MS);
  }
}

await failEachPart(JSON.parse(process.argv[2] ?? ''));

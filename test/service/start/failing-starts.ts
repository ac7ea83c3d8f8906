import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { PARTS, type PartName } from '../../../src/service/lifecycle/service-parts.ts';
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

/**
 * Starts the service once for each part, with a failure right after that part. Prints one `FailedStart` a line. The process
 * then exits by itself if no handle is left. Argument: JSON of additional environment variables.
 */
async function failEachPart(environment: Record<string, string>): Promise<void> {
  const before = handles();
  for (const part of PARTS) {
    const error = await failAfter(part, environment);
    const failed: FailedStart = { part, error, left: await handlesBeyond(before) };
    process.stdout.write(`${JSON.stringify(failed)}\n`);
  }
}

async function failAfter(part: PartName, environment: Record<string, string>): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-failing-start-'));
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
    if (started === part) throw new Error(`failed after ${part}`);
  };
  try {
    const service = await startService({ configuration, log: pino({ enabled: false }), onPartStarted });
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

await failEachPart(JSON.parse(process.argv[2] ?? '{}'));

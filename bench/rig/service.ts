import { loadConfiguration } from '../../src/configuration.ts';
import { createLogger } from '../../src/log.ts';
import { startService } from '../../src/service.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';
import { percentilesOf } from '../percentiles.ts';
import { LoadMeter } from './load.ts';
import { hearParent, tellParent } from './parent.ts';
import type { ServiceCommand, ServiceNotice } from './protocol.ts';

/**
 * The real service in a process of its own, that tells its main thread's load. In the window it also writes a hundred
 * journal entries a second, through the repositories, by a second pair of database workers on the same file.
 */
const WRITE_INTERVAL_MS = 10;
const STOP_GRACE_MS = 1_000;

const configuration = loadConfiguration(process.env);
const log = createLogger({ level: configuration.logLevel, secrets: [] });
const service = await startService({ configuration, log });
const load = new LoadMeter();
let writer: { readonly database: Database; readonly timer: NodeJS.Timeout } | null = null;
let writesMs: number[] = [];
let openedMs = 0;

hearParent((command: ServiceCommand) => {
  if (command.type === 'close') {
    void close();
    return;
  }
  void open(command.journalCallId);
});
process.removeAllListeners('SIGTERM');
process.on('SIGTERM', () => {
  void service.stop(STOP_GRACE_MS).then(() => process.exit(0));
});
tell({ type: 'started', httpUrl: service.httpUrl, sipPort: service.signalling.addresses[0]?.port ?? 0 });

async function open(journalCallId: string | null): Promise<void> {
  writesMs = [];
  openedMs = performance.now();
  if (journalCallId !== null) await startWriting(journalCallId);
  load.open();
  tell({ type: 'opened' });
}

async function startWriting(callId: string): Promise<void> {
  const database = await openDatabase({ dataDir: configuration.dataDir });
  const { journal } = createRepositories(database);
  let sequence = 0;
  const write = async () => {
    const startMs = performance.now();
    const entry = { role: 'user', sequence: sequence++, startUs: 0, endUs: 0, content: 'Words of the bench.' } as const;
    await journal.appendJournal(callId, { entries: [{ type: 'transcript', entry }], startedWallMs: 0 });
    writesMs.push(performance.now() - startMs);
  };
  const timer = setInterval(() => {
    write().catch((error: unknown) => log.error({ err: error }, 'a write of the bench failed'));
  }, WRITE_INTERVAL_MS);
  writer = { database, timer };
}

async function close(): Promise<void> {
  const measured = load.close();
  const writesPerSecond = (writesMs.length * 1000) / (performance.now() - openedMs);
  clearInterval(writer?.timer);
  await writer?.database.close();
  writer = null;
  tell({ type: 'closed', ...measured, writesPerSecond, writeP99Ms: percentilesOf(writesMs).p99 });
}

function tell(notice: ServiceNotice): void {
  tellParent(notice);
}

import { loadConfiguration } from '../../src/configuration/configuration.ts';
import { createLogger } from '../../src/log/log.ts';
import { startService } from '../../src/service/service.ts';
import { percentilesOf } from '../percentiles.ts';
import { LoadMeter } from './load-meter.ts';
import { notifyParent, onParentCommand } from './parent-channel.ts';
import type { ServiceCommand, ServiceNotice } from './process-messages.ts';

/**
 * The real service in a separate process, which reports its load. On request, it also writes a hundred additional journal
 * entries a second through the service's repositories.
 */
const WRITE_INTERVAL_MS = 10;
const STOP_GRACE_MS = 1_000;

const configuration = loadConfiguration(process.env);
const log = createLogger({ level: configuration.logLevel, secrets: [] });
const service = await startService({ configuration, settings: [], log });
const load = new LoadMeter();
let writing: NodeJS.Timeout | undefined;
let writesMs: number[] = [];
let openedMs = 0;

onParentCommand((command: ServiceCommand) => {
  if (command.type === 'open') open(command.journalCallId);
  else if (command.type === 'close') close();
  else void reportMemory();
});
process.removeAllListeners('SIGTERM');
process.on('SIGTERM', () => {
  void service.stop(STOP_GRACE_MS).then(() => process.exit(0));
});
notify({ type: 'started', httpUrl: service.httpUrl, sipPort: service.signalling.addresses[0]?.port ?? 0 });

function open(journalCallId: string | null): void {
  writesMs = [];
  openedMs = performance.now();
  if (journalCallId !== null) startWriting(journalCallId);
  load.open();
  notify({ type: 'opened' });
}

async function reportMemory(): Promise<void> {
  const sip = await service.sip.statistics();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  notify({ type: 'memory', residentMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20, sip });
}

function startWriting(callId: string): void {
  const { journal } = service.repositories;
  let sequence = 0;
  const write = async () => {
    const startMs = performance.now();
    const entry = { role: 'user', sequence: sequence++, startUs: 0, endUs: 0, content: 'Words of the bench.' } as const;
    await journal.appendJournal(callId, { entries: [{ type: 'transcript', entry }], startedWallMs: 0 });
    writesMs.push(performance.now() - startMs);
  };
  writing = setInterval(() => {
    write().catch((error: unknown) => log.error({ err: error }, 'a write of the bench failed'));
  }, WRITE_INTERVAL_MS);
}

function close(): void {
  clearInterval(writing);
  const measured = load.close();
  const writesPerSecond = (writesMs.length * 1000) / (performance.now() - openedMs);
  notify({ type: 'closed', ...measured, writesPerSecond, writeP99Ms: percentilesOf(writesMs).p99 });
}

function notify(notice: ServiceNotice): void {
  notifyParent(notice);
}

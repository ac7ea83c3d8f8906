import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { monotonicMs } from '../monotonic-clock.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { clientsOf, type ModelClient } from './clients.ts';

/**
 * The delay and the CPU that an adapter adds to a language model's response, compared with a bare socket in the same
 * run. The delay has two parts: from `generate` until the provider has read the request, and from the first word written
 * there until its event here.
 *
 *     node bench/adapters/main.ts [--short] [--at-once 1,50]
 */
const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, 'at-once': { type: 'string', default: '1,50' } },
});
/** Requests of one client: one after another, and several at once. */
const REQUESTS = values.short ? { alone: 10, together: 200 } : { alone: 50, together: 2_000 };
/** Unmeasured requests first, so that the code is compiled and every connection is open. */
const WARM_UPS = 200;
const WARM_UPS_AT_ONCE = 50;
/** A response of thirty words lasts 12 s at 150 words a minute. Four of them leave the user 12 s of each minute. */
const TURNS_PER_MINUTE = 4;

interface Measurement {
  readonly addedMs: readonly number[];
  /** CPU time per request. */
  readonly cpuMs: number;
}

const server = fork(new URL('./timestamping-server.ts', import.meta.url), {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
const [notice]: { address: { port: number } }[] = await once(server, 'message');
const port = notice?.address.port ?? 0;
const report = new Report('adapters');
const details: object[] = [];
for (const atOnce of values['at-once'].split(',').map(Number)) {
  let reference: Measurement | undefined;
  for (const client of clientsOf(port)) {
    await run(client, WARM_UPS_AT_ONCE, WARM_UPS);
    const figures = await run(client, atOnce, atOnce === 1 ? REQUESTS.alone : REQUESTS.together);
    await client.close();
    reference ??= figures;
    details.push({ atOnce, client: client.name, ...figures });
    addResult(client.name, atOnce, figures, reference);
  }
}
server.disconnect();
report.note(
  'Added: from `generate` until the provider has read the request, plus from its first word until the event here.',
);
report.note('CPU: of a request whose response has thirty words; one at a time, most of it is the cost of waking up.');
report.note(
  `A call-minute: ${TURNS_PER_MINUTE} such responses; eager generations that are never spoken are not included.`,
);
await report.finish(details);

async function run(client: ModelClient, atOnce: number, requests: number): Promise<Measurement> {
  const addedMs: number[] = [];
  let left = requests;
  const before = process.cpuUsage();
  const askOn = async (): Promise<void> => {
    while (left-- > 0) addedMs.push(await measureRequest(client));
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  const { user, system } = process.cpuUsage(before);
  return { addedMs, cpuMs: (user + system) / 1_000 / requests };
}

async function measureRequest(client: ModelClient): Promise<number> {
  const askedMs = monotonicMs();
  let added = Number.NaN;
  await client.generate((text) => {
    if (!Number.isNaN(added)) return;
    const [readMs = Number.NaN, writtenMs = Number.NaN] = text.split('/').map(Number);
    added = readMs - askedMs + (monotonicMs() - writtenMs);
  });
  return added;
}

function addResult(client: string, atOnce: number, { addedMs, cpuMs }: Measurement, reference: Measurement): void {
  const { count, p50, p95, p99 } = percentilesOf(addedMs);
  report.add({
    'at once': atOnce,
    client,
    requests: count,
    'added p50 ms': p50.toFixed(2),
    'p95 ms': p95.toFixed(2),
    'p99 ms': p99.toFixed(2),
    'over the bare socket ms': (p50 - percentilesOf(reference.addedMs).p50).toFixed(2),
    'CPU a request ms': cpuMs.toFixed(2),
    'of it over the bare socket': (cpuMs - reference.cpuMs).toFixed(2),
    'and a call-minute': ((cpuMs - reference.cpuMs) * TURNS_PER_MINUTE).toFixed(1),
  });
}

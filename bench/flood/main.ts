import { parseArgs } from 'node:util';
import { Report } from '../report.ts';
import { BenchProcess } from '../rig/bench-process.ts';
import type { ServiceMemory } from '../rig/process-messages.ts';
import { ADMISSION_LATENESS_MS, type RunningService, runRig } from '../rig/rig.ts';
import type { FloodCommand, FloodNotice } from './invite-flood.ts';

/**
 * A flood of bad INVITEs during live calls: the packets that the calls lose, the service's CPU, and its memory afterwards.
 *
 *     node bench/flood/main.ts [--short] [--calls 20] [--per-second 5000] [--seconds 10]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    calls: { type: 'string', default: '20' },
    'per-second': { type: 'string', default: '5000' },
    seconds: { type: 'string' },
  },
});
const CALLS = Number(values.calls);
const PER_SECOND = Number(values['per-second']);
const SECONDS = Number(values.seconds ?? (values.short ? '3' : '10'));
/** A turn of the script takes three seconds. The calls last longer than the flood. */
const TURNS = Math.ceil(SECONDS / 3) + 2;
/** Timer H or J ends the last transaction of the flood after 32 s (RFC 3261 §17.2). */
const SETTLE_TIMEOUT_MS = 45_000;
const SAMPLE_INTERVAL_MS = 500;
/** Allowed growth of the main thread's heap: the finished calls that the API still reports. */
const GROWTH_MB_MAX = 16;
/**
 * Allowed growth of the whole process, compared with the same calls without a flood. The flood allocates in the SIP worker,
 * which the main thread's heap does not include.
 */
const RESIDENT_BEYOND_MB_MAX = 32;

/** The addresses that the trunk lists, and those of the flood. The callers' address is 127.0.0.1. */
const FLOODS = [
  { name: 'none', trunk: [], addresses: [] },
  { name: 'unknown sources, all trunks list their addresses', trunk: ['127.0.0.1'], addresses: loopbackAddresses(16) },
  { name: 'one address, all sources allowed', trunk: [], addresses: loopbackAddresses(1) },
  { name: '200 addresses, all sources allowed', trunk: [], addresses: loopbackAddresses(200) },
] as const;

interface FloodResult {
  readonly before: ServiceMemory;
  readonly peakMb: number;
  readonly after: ServiceMemory;
  readonly flood: Extract<FloodNotice, { type: 'flooded' }> | null;
}

const report = new Report('flood');
const details: object[] = [];
/** Resident memory after the first row, which has no flood. */
let calmMb: number | null = null;
for (const { name, trunk, addresses } of FLOODS) {
  const flooded: { result: FloodResult | null } = { result: null };
  const result = await runRig({
    script: 'turn',
    turns: TURNS,
    calls: CALLS,
    spreadMs: 1_000,
    writes: false,
    trunkAddresses: trunk,
    duringCalls: async (service) => {
      flooded.result = await runFlood(service, addresses);
    },
  });
  const faults = [...result.faults.values()].filter((fault) => fault !== null);
  const { result: seen } = flooded;
  details.push({ name, seen, callers: { ...result.callers, turns: [] }, service: result.service, faults });
  if (seen === null) continue;
  const { before, after, flood, peakMb } = seen;
  const { sip } = after;
  const grownMb = after.heapMb - before.heapMb;
  calmMb ??= after.residentMb;
  const returned = grownMb < GROWTH_MB_MAX && after.residentMb - calmMb < RESIDENT_BEYOND_MB_MAX;
  const pass = faults.length === 0 && result.callers.missing === 0 && returned && sip?.timers === 0;
  report.add({
    flood: name,
    'sent/s': flood === null ? 0 : Math.round(flood.sent / flood.seconds),
    'late ms': flood?.sendLatenessMsMax.toFixed(1) ?? '',
    answered: flood?.answers ?? 0,
    unknownSources: sip?.unknownSources ?? 0,
    scanners: sip?.scanners ?? 0,
    'over rate': sip?.overRate ?? 0,
    'INVITEs limited': sip?.invitesLimited ?? 0,
    'calls faulty': faults.length,
    'packets missing': `${result.callers.missing} of ${result.callers.received}`,
    'pacing p99 ms': result.callers.pacing.p99.toFixed(2),
    'service core %': (result.service.processShare * 100).toFixed(0),
    'main thread %': (result.service.mainShare * 100).toFixed(0),
    'heap before, after MiB': [before.heapMb, after.heapMb].map((mb) => mb.toFixed(0)).join(', '),
    'RSS before, peak, after MiB': [before.residentMb, peakMb, after.residentMb].map((mb) => mb.toFixed(0)).join(', '),
    pass: pass ? 'yes' : 'no',
  });
  for (const fault of faults.slice(0, 2)) report.note(`${name}: ${fault}`);
}
report.note(
  `Pass: no call has a fault or misses a packet, no timer is left, the main thread's heap grew by less than ${GROWTH_MB_MAX} MiB, and the process ends less than ${RESIDENT_BEYOND_MB_MAX} MiB above the row without a flood.`,
);
report.note(`ADMISSION_LATENESS_MS=${ADMISSION_LATENESS_MS}: no call is refused for a late packet.`);
await report.finish(details);

async function runFlood(service: RunningService, addresses: readonly string[]): Promise<FloodResult> {
  const before = await service.memory();
  let peakMb = before.residentMb;
  const readMemory = async () => {
    const now = await service.memory();
    peakMb = Math.max(peakMb, now.residentMb);
    return now;
  };
  const flood = addresses.length === 0 ? null : await sendFlood(service.sipPort, addresses, readMemory);
  await service.callsEnded;
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  let after = await readMemory();
  while ((after.sip?.timers ?? 0) > 0 && performance.now() < until) {
    await pause();
    after = await readMemory();
  }
  return { before, peakMb, after, flood };
}

async function sendFlood(port: number, addresses: readonly string[], readMemory: () => Promise<unknown>) {
  const child = new BenchProcess<FloodCommand, FloodNotice>(new URL('./invite-flood.ts', import.meta.url));
  await child.nextNotice('started');
  let done = false;
  const reading = (async () => {
    while (!done) {
      await readMemory();
      await pause();
    }
  })();
  const command: FloodCommand = { type: 'flood', port, perSecond: PER_SECOND, seconds: SECONDS, addresses };
  const notice = await child.request(command, 'flooded');
  done = true;
  await reading;
  await child.end();
  return notice;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SAMPLE_INTERVAL_MS));
}

/** Loopback addresses other than the callers': all of 127/8 is loopback (RFC 1122 §3.2.1.3). */
function loopbackAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.0.1.${i + 1}`);
}

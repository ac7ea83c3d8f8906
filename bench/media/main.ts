import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { compileEcho, type Echo, echoCost } from './echo-cost.ts';
import { heapBytesPerPacket } from './heap-per-packet.ts';
import { type RunResult, runMedia } from './measured-run.ts';

/**
 * Media capacity: pacing, loss and the share of a core with many calls on one worker, with epoll sockets and with `dgram`;
 * and what a packet costs a bare echo with either, compared with the same loop in C.
 *
 *     node bench/media/main.ts [--calls 1000] [--seconds 30] [--repeats 5]
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '30' },
    repeats: { type: 'string', default: '5' },
  },
});
const calls = Number(values.calls);
const seconds = Number(values.seconds);
const repeats = Number(values.repeats);
/** A run in which the generator sent later than this is discarded, because it does not measure the worker. */
const GENERATOR_LATENESS_MS_MAX = 8;
const DISCARDED_MAX = 3;
const ECHOES: readonly Echo[] = ['C', 'epoll', 'dgram'];
const ECHO_SECONDS = 4;
/** µs of a core for each of the 50 packets a second. */
const PACKETS_PER_CORE = 1e6 / 50;

const variants = [
  { name: 'epoll', run: () => runMedia(calls, seconds, { blocked: false, sockets: 'auto' }) },
  { name: 'dgram', run: () => runMedia(calls, seconds, { blocked: false, sockets: 'dgram' }) },
  { name: 'epoll, main blocked 5 ms × 20/s', run: () => runMedia(calls, seconds, { blocked: true, sockets: 'auto' }) },
] as const;

const rows: Record<string, string | number>[] = [];
const results: { variant: string; discarded: number; runs: RunResult[] }[] = [];
for (const { name, run } of variants) {
  const { runs, discarded } = await repeat(run);
  results.push({ variant: name, discarded, runs });
  const sorted = [...runs].sort((a, b) => a.p99Ms - b.p99Ms);
  const median = sorted[sorted.length >> 1];
  if (median !== undefined) rows.push(row(`${name}, median`, median, discarded));
  if (sorted.length > 1 && sorted[0] !== undefined) rows.push(row(`${name}, best`, sorted[0], discarded));
}
const echoes = await compareEchoes();
const heap = await heapBytesPerPacket();
console.table(rows);
console.log(`Heap above the socket: ${heap.inBytes.toFixed(1)} bytes a packet in, ${heap.outBytes.toFixed(1)} out.`);
console.log(
  `Pass: p99 < 5 ms, no packet missing, rate deficit < 0.02 %. ${cpus()[0]?.model}, Node ${process.version}.`,
);
await writeResults();
process.exit(0);

/** The echoes in turns, so that all meet the same neighbours. The median of the runs, µs of CPU for a packet in and out. */
async function compareEchoes(): Promise<Record<Echo, number[]>> {
  const compiled = compileEcho();
  if (compiled === null) console.log('No gcc: the echo in C is skipped.');
  const costs: Record<Echo, number[]> = { C: [], epoll: [], dgram: [] };
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const echo of ECHOES) {
      if (echo === 'C' && compiled === null) continue;
      costs[echo].push(await echoCost(echo, calls, ECHO_SECONDS, compiled?.path ?? ''));
    }
  }
  compiled?.remove();
  const medianOf = (runs: readonly number[]) => [...runs].sort((a, b) => a - b)[runs.length >> 1] ?? Number.NaN;
  console.table(
    ECHOES.map((echo) => ({
      echo,
      'µs in and out': medianOf(costs[echo]).toFixed(2),
      'calls a core': Math.round(PACKETS_PER_CORE / medianOf(costs[echo])),
      'of C': (medianOf(costs.C) / medianOf(costs[echo])).toFixed(2),
      'of dgram': (medianOf(costs.dgram) / medianOf(costs[echo])).toFixed(2),
    })),
  );
  return costs;
}

/** Runs until `repeats` runs are valid. After `DISCARDED_MAX` invalid runs, further ones count too. */
async function repeat(run: () => Promise<RunResult>): Promise<{ runs: RunResult[]; discarded: number }> {
  const runs: RunResult[] = [];
  let discarded = 0;
  while (runs.length < repeats) {
    const result = await run();
    if (result.sendLatenessMsMax > GENERATOR_LATENESS_MS_MAX && discarded < DISCARDED_MAX) discarded++;
    else runs.push(result);
  }
  return { runs, discarded };
}

function row(variant: string, result: RunResult, discarded: number): Record<string, string | number> {
  return {
    variant,
    calls,
    'core %': (result.coreShare * 100).toFixed(1),
    'µs in and out': ((result.coreShare * seconds * 1e6) / result.received).toFixed(2),
    'main %': (result.mainShare * 100).toFixed(1),
    'p50 ms': result.p50Ms.toFixed(2),
    'p99 ms': result.p99Ms.toFixed(2),
    'p99.9 ms': result.p999Ms.toFixed(2),
    'max ms': result.maxMs.toFixed(2),
    missing: result.missing,
    'deficit %': result.deficitPercent.toFixed(3),
    'in lost': result.inboundLost,
    skipped: result.skipped,
    underruns: result.underruns,
    'generator %': (result.share * 100).toFixed(0),
    'slip ms': result.sendLatenessMsMax.toFixed(1),
    discarded,
  };
}

async function writeResults(): Promise<void> {
  const folder = new URL('../results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  const machine = { model: cpus()[0]?.model, cores: cpus().length, node: process.version, commit: commit() };
  const report = { machine, calls, seconds, heap, echoes, results };
  await writeFile(new URL(`media-${Date.now()}.json`, folder), `${JSON.stringify(report, null, 2)}\n`);
}

function commit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

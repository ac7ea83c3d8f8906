import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Report } from '../report.ts';
import { BenchProcess } from '../rig/bench-process.ts';
import type { EngineAllocations } from './engine-allocations.ts';
import { storageTraffic } from './storage-traffic.ts';

/**
 * Counts that do not depend on the machine: what a recorded call costs in allocations of the engine, and in messages, transactions and
 * statements of SQLite. Fails if one is more than 10 % over the committed figure.
 *
 *     node bench/budget/main.ts [--write]
 *
 * `--write` replaces the committed figures.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const FIGURES = new URL('./figures.json', import.meta.url);
/** Growth of a figure, as a share, at which the benchmark fails. */
const GROWTH_MAX = 0.1;
/** Young generation, MiB: the replay allocates less. */
const YOUNG_GENERATION_MIB = 256;

const measured = { ...(await engineFigures()), ...(await storageFigures()) };
if (values.write) writeFileSync(FIGURES, `${JSON.stringify(measured, null, 2)}\n`);
const committed: Readonly<Record<string, number>> = JSON.parse(readFileSync(FIGURES, 'utf8'));

const report = new Report('budget');
for (const [name, figure] of Object.entries(measured)) {
  const known = committed[name];
  const growth = known === undefined ? Number.NaN : figure / known - 1;
  const isOver = !(growth <= GROWTH_MAX);
  if (isOver) process.exitCode = 1;
  report.add({
    figure: name,
    measured: figure,
    committed: known ?? 'none',
    growth: `${(100 * growth).toFixed(1)} %`,
    pass: isOver ? 'no' : 'yes',
  });
}
report.note(
  'A change that needs more, or that saves more than a tenth: run it with --write, and commit figures.json with the reason.',
);
await report.finish({ measured, committed });

async function engineFigures(): Promise<Readonly<Record<string, number>>> {
  const replay = new BenchProcess<never, EngineAllocations>(new URL('./engine-allocations.ts', import.meta.url), {
    execArgv: [
      '--no-opt',
      '--no-maglev',
      '--no-sparkplug',
      '--hash-seed=1',
      `--min-semi-space-size=${YOUNG_GENERATION_MIB}`,
      `--max-semi-space-size=${YOUNG_GENERATION_MIB}`,
    ],
  });
  const { bytes, commands, events } = await replay.nextNotice('measured');
  await replay.end();
  return {
    'engine: bytes an event': Math.round(bytes / events),
    'engine: commands a hundred events': Math.round((100 * commands) / events),
  };
}

async function storageFigures(): Promise<Readonly<Record<string, number>>> {
  const { call, journal, turns } = await storageTraffic();
  const aTurn = (count: number) => Number((count / turns).toFixed(1));
  return {
    'storage: messages a call': call.messages,
    'storage: transactions a call': call.transactions,
    'storage: statements a call': call.statements,
    'storage: bytes a call': call.bytes,
    'storage: messages a turn': aTurn(journal.messages),
    'storage: statements a turn': aTurn(journal.statements),
  };
}

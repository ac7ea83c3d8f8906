import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mediaSubjects } from './media-subjects.ts';
import { sipSubjects } from './sip-subjects.ts';

/**
 * Checks the properties of `fuzz.test.ts` with any number of inputs, and the growth of the heap.
 *
 *     npm run fuzz [-- --runs 1000000] [--seed N] [--messages FOLDER]
 *
 * Each file of the folder is a SIP message, which is used as a seed beside those in `seeds.ts`.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    messages: { type: 'string' },
  },
});
/** Rounds of each subject. The heap is compared from the second round on, after all code has been compiled. */
const ROUNDS = 10;
/** Growth of the heap that garbage collection may leave. */
const GROWTH_MB_MAX = 8;
const MB = 2 ** 20;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function heapMb(): number {
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed / MB;
}

const { messages } = values;
const extraSeeds =
  messages === undefined ? [] : readdirSync(messages).map((name) => readFileSync(join(messages, name)));
const subjects = [...sipSubjects(extraSeeds), ...mediaSubjects()];
const perRound = Math.ceil(Number(values.runs) / subjects.length / ROUNDS);
const rows: Record<string, string | number>[] = [];
console.log(`seed ${values.seed}`);
for (const { name, run } of subjects) {
  const started = performance.now();
  let slowestMs = 0;
  let firstMb = 0;
  for (let round = 0; round < ROUNDS; round++) {
    slowestMs = Math.max(slowestMs, run(perRound, Number(values.seed) + round).slowestMs);
    if (round === 1) firstMb = heapMb();
  }
  const grownMb = heapMb() - firstMb;
  const seconds = (performance.now() - started) / 1_000;
  rows.push({
    subject: name,
    inputs: perRound * ROUNDS,
    'slowest ms': slowestMs.toFixed(2),
    'heap grown MiB': grownMb.toFixed(2),
    seconds: seconds.toFixed(0),
  });
  if (grownMb > GROWTH_MB_MAX) throw new Error(`${name}: the heap grew by ${grownMb.toFixed(1)} MiB`);
}
console.table(rows);
console.log(`${perRound * ROUNDS * subjects.length} inputs, no failure.`);

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mediaSubjects } from './media-subjects.ts';
import { sipSubjects } from './sip-subjects.ts';

/**
 * The properties of the suite, with as many inputs as are asked for, and a look at the heap between them.
 *
 *     npm run fuzz [-- --runs 1000000] [--seed N] [--messages FOLDER]
 *
 * Every file of the folder is a SIP message that is changed like those that are here.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    messages: { type: 'string' },
  },
});
/** Rounds of each subject; the heap is compared from the second on, when everything has been compiled. */
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
const more = messages === undefined ? [] : readdirSync(messages).map((name) => readFileSync(join(messages, name)));
const subjects = [...sipSubjects(more), ...mediaSubjects()];
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
  if (grownMb > GROWTH_MB_MAX) throw new Error(`${name}: the heap has grown by ${grownMb.toFixed(1)} MiB`);
}
console.table(rows);
console.log(`${perRound * ROUNDS * subjects.length} inputs, none of which broke anything.`);

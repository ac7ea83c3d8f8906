import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

/**
 * Runs all benchmarks one after another, or the named ones. Each is a separate process, so that none inherits the heap and the
 * compiled code of another.
 *
 *     npm run bench [-- [media] [echo] [noise] [turn] [turns] [hearing] [interruption] [voices] [transcribers] [conversations] [storage] [adapters] [jitter-buffer] [flood] [setup] [api] [vectors] [knowledge-search] [redaction] [overload] [soak] [chaos] [console] [budget] [--short]]
 */
const BENCHMARKS = {
  media: {
    entry: './media/main.ts',
    args: ['--seconds', '20', '--repeats', '2'],
    short: ['--calls', '200', '--seconds', '5', '--repeats', '1'],
  },
  echo: { entry: './echo/main.ts', args: [], short: ['--short'] },
  noise: { entry: './noise/main.ts', args: [], short: [] },
  turn: { entry: './turn/main.ts', args: [], short: ['--short'] },
  turns: { entry: './turns/main.ts', args: [], short: [] },
  hearing: { entry: './hearing/main.ts', args: [], short: ['--short'] },
  interruption: { entry: './interruption/main.ts', args: [], short: ['--short'] },
  voices: { entry: './voices/main.ts', args: [], short: ['--segments', '300'] },
  transcribers: { entry: './transcribers/main.ts', args: [], short: ['--segments', '300'] },
  conversations: { entry: './conversations/main.ts', args: [], short: ['--short'] },
  storage: { entry: './storage/main.ts', args: [], short: ['--calls', '20000', '--repeats', '20'] },
  adapters: { entry: './adapters/main.ts', args: [], short: ['--short'] },
  'jitter-buffer': { entry: './jitter-buffer/main.ts', args: [], short: ['--minutes', '1'] },
  flood: { entry: './flood/main.ts', args: [], short: ['--short'] },
  setup: { entry: './setup/main.ts', args: [], short: ['--short'] },
  vectors: { entry: './vectors/main.ts', args: [], short: ['--searches', '50'] },
  'knowledge-search': {
    entry: './knowledge-search/main.ts',
    args: [],
    short: ['--chunks', '1000', '--searches', '20'],
  },
  api: { entry: './api/main.ts', args: [], short: ['--short'] },
  overload: { entry: './overload/main.ts', args: [], short: ['--short'] },
  soak: { entry: './soak/main.ts', args: [], short: ['--short'] },
  redaction: { entry: './redaction/main.ts', args: [], short: [] },
  chaos: { entry: './chaos/main.ts', args: [], short: ['--short'] },
  console: { entry: './console/main.ts', args: [], short: ['--opened', '3', '--seconds', '2'] },
  budget: { entry: './budget/main.ts', args: [], short: [] },
} as const;

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
  process.exit(2);
}
for (const [name, { entry, args, short }] of Object.entries(BENCHMARKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n${name}`);
  const path = new URL(entry, import.meta.url).pathname;
  const child = spawn(process.execPath, [path, ...(values.short ? short : args)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}

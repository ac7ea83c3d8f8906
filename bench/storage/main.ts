import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { type Database, openDatabase } from '../../src/storage/database/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';
import { administrate, restartServer } from '../../test/postgres/server.ts';
import { cpuMeter } from '../cpu-meter.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { onTemporaryPostgres } from '../temporary-postgres.ts';
import { dropFileCache } from './file-cache.ts';
import { insertCost } from './insert-cost.ts';
import { listQuestions, pageQuestions, pairQuestions, searchQuestions, textQuestions } from './list-questions.ts';
import { analyticsQuestions, callQuestions, logQuestions } from './other-questions.ts';
import { findYear, type Question, type StoredYear } from './question.ts';
import { serverCpuMeter } from './server-cpu.ts';
import { storeYear } from './stored-year.ts';

/**
 * All queries of the API that list, search, count or sum up calls and their events, with a million calls stored, on SQLite and on a
 * temporary PostgreSQL with default settings.
 *
 *     node bench/storage/main.ts [--calls 1000000] [--repeats 100] [--cold 3] [--only REGEX] [--database sqlite|postgres]
 *                                [--data-dir DIR] [--database-url URL --postgres-folder DIR]
 *
 * `--cold` counts the runs of each query on a database that was just opened, whose files are not in the cache of the system.
 * A data directory or database that is given is kept, and not filled again.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    repeats: { type: 'string', default: '100' },
    cold: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    database: { type: 'string' },
    'data-dir': { type: 'string' },
    'database-url': { type: 'string' },
    'postgres-folder': { type: 'string' },
  },
});
const calls = Number(values.calls);
const repeats = Number(values.repeats);
const coldRepeats = Number(values.cold);
const only = new RegExp(values.only);
/** A query that takes longer is marked in the report. */
const MARK_MS = 200;

const report = new Report('storage');
const missed: string[] = [];

/** A database that can be opened again with cold caches. */
interface Place {
  readonly name: string;
  /** Null: SQLite. */
  readonly databaseUrl: string | null;
  readonly open: () => Promise<Database>;
  /** While the database is closed. */
  readonly makeCold: () => Promise<void>;
  /** Folder of the PostgreSQL server, whose CPU time counts; null: the database runs in this process, or elsewhere. */
  readonly serverFolder: string | null;
  /** After it was filled. */
  readonly settle: () => Promise<unknown>;
}

async function measure(place: Place): Promise<void> {
  let database = await place.open();
  try {
    const begun = performance.now();
    if (await storeYear(database, calls, place.databaseUrl)) {
      await place.settle();
      report.note(`${place.name}: ${calls} calls stored in ${Math.round((performance.now() - begun) / 1_000)} s`);
    }
    const year = await findYear(database);
    const all = questionsOf(year).filter(({ name }) => only.test(name));
    for (const question of all) {
      const cold: number[] = [];
      for (let nth = 0; nth < coldRepeats; nth++) {
        await database.close();
        await place.makeCold();
        database = await place.open();
        await database.check();
        cold.push(await timed(database, question));
      }
      await measureWarm(place, database, question, cold);
    }
    if (only.test('insert cost')) await measureInserts(place.name, database);
  } finally {
    await database.close();
  }
}

function questionsOf(year: StoredYear): readonly Question[] {
  return [
    ...listQuestions(year),
    ...pairQuestions(year),
    ...pageQuestions(year),
    ...searchQuestions(year),
    ...textQuestions(year),
    ...analyticsQuestions(year),
    ...logQuestions(year),
    ...callQuestions(year),
  ];
}

async function measureWarm(
  { name, serverFolder }: Place,
  database: Database,
  question: Question,
  cold: readonly number[],
) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  await timed(database, question);
  delays.enable();
  const meters = [cpuMeter(), ...(serverFolder === null ? [] : [serverCpuMeter(serverFolder)])];
  const warm: number[] = [];
  for (let nth = 0; nth < repeats; nth++) warm.push(await timed(database, question));
  const cpuMs = meters.reduce((sum, meter) => sum + meter(), 0) / repeats;
  delays.disable();
  const { max, p50, p95 } = percentilesOf(warm);
  const isOver = !(p95 <= MARK_MS);
  if (isOver) missed.push(`${name}: ${question.name}`);
  const row = {
    database: name,
    query: question.name,
    'p50 ms': p50.toFixed(1),
    'p95 ms': p95.toFixed(1),
    'max ms': max.toFixed(1),
    'CPU ms': cpuMs.toFixed(1),
    ...(cold.length > 0 && {
      'cold p50 ms': percentilesOf(cold).p50.toFixed(1),
      'cold max ms': Math.max(...cold).toFixed(1),
    }),
    'main thread max ms': (delays.max / 1e6).toFixed(1),
    pass: isOver ? 'no' : 'yes',
  };
  report.add(row);
  // A run takes a quarter of an hour: its figures are worth reading before its end.
  console.log(JSON.stringify(row));
}

async function timed(database: Database, { ask }: Question): Promise<number> {
  const repositories = createRepositories(database);
  const started = performance.now();
  await ask(repositories);
  return performance.now() - started;
}

async function measureInserts(name: string, database: Database): Promise<void> {
  for (const [write, taken] of await insertCost(database, repeats)) {
    const { max, p50, p95 } = percentilesOf(taken);
    const row = {
      database: name,
      query: write,
      'p50 ms': p50.toFixed(2),
      'p95 ms': p95.toFixed(2),
      'max ms': max.toFixed(1),
    };
    report.add(row);
    console.log(JSON.stringify(row));
  }
}

async function onSqlite(): Promise<void> {
  const kept = values['data-dir'];
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'trunkline-bench-')));
  try {
    await measure({
      name: 'SQLite',
      databaseUrl: null,
      serverFolder: null,
      open: () => openDatabase({ dataDir }),
      makeCold: () => dropFileCache(dataDir),
      settle: async () => {},
    });
  } finally {
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

async function onPostgres(databaseUrl: string, folder: string | undefined): Promise<void> {
  await measure({
    name: 'PostgreSQL',
    databaseUrl,
    serverFolder: folder ?? null,
    open: () => openDatabase({ dataDir: '', databaseUrl }),
    makeCold: async () => {
      if (folder === undefined) return;
      await restartServer(folder, 'fast');
      await dropFileCache(join(folder, 'data'));
    },
    // Autovacuum does the same within a minute of such a load.
    settle: () => administrate(databaseUrl, 'VACUUM ANALYZE'),
  });
}

if (values.database !== 'postgres') await onSqlite();
if (values.database !== 'sqlite') {
  const url = values['database-url'];
  if (url === undefined) await onTemporaryPostgres(report, onPostgres);
  else await onPostgres(url, values['postgres-folder']);
}
report.note(
  missed.length === 0 ? `p95 of each query within ${MARK_MS} ms` : `p95 over ${MARK_MS} ms: ${missed.join('; ')}`,
);
await report.finish({ calls, repeats, coldRepeats });

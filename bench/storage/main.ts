import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../src/storage/access/organization-repository.ts';
import { createAnalyticsRepository } from '../../src/storage/analytics/analytics-repository.ts';
import type { CallFilter } from '../../src/storage/call-search/call-filter.ts';
import { type CallListRepository, createCallListRepository } from '../../src/storage/calls/call-list-repository.ts';
import { type Database, openDatabase } from '../../src/storage/database/database.ts';
import { administrate } from '../../test/postgres/server.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { onTemporaryPostgres } from '../temporary-postgres.ts';
import {
  COMMON_AGENT,
  COMMON_ENTRY,
  FROM_NUMBER,
  RARE_AGENT,
  RARE_COST,
  RARE_ENTRY,
  storeYearOfCalls,
  TO_NUMBER,
} from './year-of-calls.ts';
import { analyticsQuestions, storeYearOfRollups } from './year-of-rollups.ts';
import { dropTextIndex, EVEN_WORD, EVERY_WORD, ODD_WORD, RARE_WORD, SOME_WORD } from './year-of-texts.ts';

/**
 * Lists of calls with a million calls stored, and analytics over the rollups of as many, on SQLite and on a temporary PostgreSQL with default settings.
 *
 *     node bench/storage/main.ts [--calls 1000000] [--repeats 100]
 */
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000000' }, repeats: { type: 'string', default: '100' } },
});
const calls = Number(values.calls);
const repeats = Number(values.repeats);
/** Page mode also counts the calls and is slower: fewer repeats. */
const pageRepeats = Math.max(5, Math.round(repeats / 10));
const PAGE_SIZE = 50;

const report = new Report('storage');

/** As many common prefixes and words as a query may have. */
const HOSTILE = `wor* word* word1* word2* word3* ${EVERY_WORD} ${EVEN_WORD} ${ODD_WORD}`;

/** Filters of a search. Some combine conditions that are common alone, and rare or impossible together. */
const SEARCHES: readonly (readonly [string, CallFilter])[] = [
  ['status, common', { status: 'completed' }],
  ['status, rare', { status: 'failed' }],
  ['direction', { direction: 'outbound' }],
  ['end_reason, rare', { endReason: 'llm_error' }],
  ['end_reason, none', { endReason: 'node_lost' }],
  ['answer_type', { answerType: 'voicemail' }],
  ['cost_gt, common', { costAbove: 0.05 }],
  ['cost_gt, rare', { costAbove: RARE_COST - 1 }],
  ['cost_gt, none', { costAbove: RARE_COST }],
  ['response_ms_gt, 1 %', { responseAboveMs: 1_985 }],
  ['response_ms_gt, none', { responseAboveMs: 2_000 }],
  ['metadata, common', { metadata: COMMON_ENTRY }],
  ['metadata, rare', { metadata: RARE_ENTRY }],
  ['rare agent, end_reason', { agentId: RARE_AGENT, endReason: 'caller_hangup' }],
  ['direction, rare cost', { direction: 'inbound', costAbove: RARE_COST - 1 }],
  ['agent, answer_type: none', { agentId: 'agent 1', answerType: 'human' }],
  ['direction, response_ms 1 %', { direction: 'inbound', responseAboveMs: 1_985 }],
  ['metadata, end_reason, none', { metadata: COMMON_ENTRY, endReason: 'no_answer' }],
  ['transcript, in each', { transcript: EVERY_WORD }],
  ['transcript, 0.5 %', { transcript: SOME_WORD }],
  ['transcript, rare', { transcript: RARE_WORD }],
  ['transcript, none', { transcript: 'nowhere' }],
  ['transcript, common prefix', { transcript: 'wor*' }],
  ['transcript, long common prefix', { transcript: 'word1*' }],
  ['transcript, phrase', { transcript: `"${EVERY_WORD} ${EVEN_WORD}"` }],
  ['transcript, common words never together', { transcript: `${EVEN_WORD} ${ODD_WORD}` }],
  ['transcript, hostile', { transcript: HOSTILE }],
  ['transcript in each, rare agent', { transcript: EVERY_WORD, agentId: RARE_AGENT }],
  ['transcript 0.5 %, end_reason none', { transcript: SOME_WORD, endReason: 'node_lost' }],
  ['transcript in each, answer_type none', { transcript: EVEN_WORD, agentId: 'agent 1', answerType: 'human' }],
  ['transcript in each, rare cost', { transcript: EVERY_WORD, costAbove: RARE_COST - 1 }],
  ['ranges, none', { costBelow: 0.02, responseAboveMs: 1_999 }],
];

async function measureSearches(name: string, lists: CallListRepository, middleMs: number): Promise<void> {
  for (const [filter, which] of SEARCHES) {
    const first = await timed(repeats, () => cursorPage(lists, which, null));
    const deep = await timed(repeats, () => cursorPage(lists, which, middleMs * 1_000));
    report.add({
      database: name,
      filter,
      'first page p50 ms': percentilesOf(first).p50.toFixed(2),
      'p99 ms': percentilesOf(first).p99.toFixed(2),
      'middle p50 ms': percentilesOf(deep).p50.toFixed(2),
      'max ms': Math.max(...first, ...deep).toFixed(1),
    });
  }
}

async function measure(name: string, database: Database, settle: () => Promise<unknown>): Promise<void> {
  await createOrganizationRepository(database).ensureDefault(Date.now());
  const begun = performance.now();
  const createIndex = await dropTextIndex(database);
  const middleMs = await storeYearOfCalls(database, calls);
  await createIndex();
  await settle();
  report.note(`${name}: ${calls} calls filled in ${Math.round((performance.now() - begun) / 1_000)} s`);
  const lists = createCallListRepository(database);
  const filters: readonly (readonly [string, CallFilter])[] = [
    ['none', {}],
    ['agent, common', { agentId: COMMON_AGENT }],
    ['agent, rare', { agentId: RARE_AGENT }],
    ['type, common', { type: 'phone_call' }],
    ['type, rare', { type: 'web_call' }],
    ['from_number', { fromNumber: FROM_NUMBER }],
    ['to_number', { toNumber: TO_NUMBER }],
    ['start_time_gt', { startAfterMs: middleMs }],
    ['start_time_lt', { startBeforeMs: middleMs }],
  ];
  for (const [filter, which] of filters) {
    const first = await timed(repeats, () => cursorPage(lists, which, null));
    const deep = await timed(repeats, () => cursorPage(lists, which, middleMs * 1_000));
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const page = await timed(pageRepeats, () =>
      lists.list(DEFAULT_ORGANIZATION_ID, which, { mode: 'page', page: 2, limit: PAGE_SIZE }),
    );
    delays.disable();
    report.add({
      database: name,
      filter,
      'first page p50 ms': percentilesOf(first).p50.toFixed(2),
      'p99 ms': percentilesOf(first).p99.toFixed(2),
      'middle p50 ms': percentilesOf(deep).p50.toFixed(2),
      'page mode p50 ms': percentilesOf(page).p50.toFixed(1),
      'max ms': Math.max(...page).toFixed(1),
      'main thread max ms': (delays.max / 1e6).toFixed(1),
    });
  }
  await measureSearches(name, lists, middleMs);
  await measureAnalytics(name, database, settle);
}

async function measureAnalytics(name: string, database: Database, settle: () => Promise<unknown>): Promise<void> {
  const toMs = await storeYearOfRollups(database);
  await settle();
  for (const [question, ask] of analyticsQuestions(createAnalyticsRepository(database), toMs)) {
    const taken = await timed(repeats, ask);
    report.add({
      database: name,
      filter: question,
      'first page p50 ms': percentilesOf(taken).p50.toFixed(2),
      'p99 ms': percentilesOf(taken).p99.toFixed(2),
      'max ms': Math.max(...taken).toFixed(1),
    });
  }
}

function cursorPage(lists: CallListRepository, filter: CallFilter, beforeUs: number | null) {
  return lists.list(DEFAULT_ORGANIZATION_ID, filter, { mode: 'cursor', beforeUs, limit: PAGE_SIZE });
}

async function timed(times: number, run: () => Promise<unknown>): Promise<number[]> {
  await run();
  const taken: number[] = [];
  for (let nth = 0; nth < times; nth++) {
    const started = performance.now();
    await run();
    taken.push(performance.now() - started);
  }
  return taken;
}

async function onDatabase(name: string, databaseUrl: string | null, settle: () => Promise<unknown>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const database = await openDatabase({ dataDir, databaseUrl });
  try {
    await measure(name, database, settle);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await onDatabase('SQLite', null, async () => {});
await onTemporaryPostgres(report, (databaseUrl) =>
  // Autovacuum does the same within a minute of such a load.
  onDatabase('PostgreSQL', databaseUrl, () => administrate(databaseUrl, 'VACUUM ANALYZE')),
);
await report.finish({ calls, repeats, pageSize: PAGE_SIZE });

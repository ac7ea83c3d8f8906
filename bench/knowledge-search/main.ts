import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../src/storage/access/organization-repository.ts';
import { type Database, openDatabase } from '../../src/storage/database/database.ts';
import { createRepositories } from '../../src/storage/repositories.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { onTemporaryPostgres } from '../temporary-postgres.ts';
import { wordSource } from './word-source.ts';

/**
 * Full-text searches of one knowledge base, on SQLite and on a temporary PostgreSQL with default settings.
 *
 *     node bench/knowledge-search/main.ts [--chunks 10000] [--searches 100]
 */
const { values } = parseArgs({
  options: { chunks: { type: 'string', default: '10000' }, searches: { type: 'string', default: '100' } },
});
const chunks = Number(values.chunks);
const searches = Number(values.searches);
const CHUNKS_PER_WRITE = 500;
const CONTENT_WORDS = 100;
const HEADING_WORDS = 2;
const QUERY_WORDS = 6;

const report = new Report('knowledge-search');

async function measure(name: string, database: Database): Promise<void> {
  await createOrganizationRepository(database).ensureDefault(Date.now());
  const { knowledgeBases, knowledgeChunks } = createRepositories(database);
  const [baseId, sourceId] = [randomUUID(), randomUUID()];
  const words = wordSource();
  const text = (length: number) => Array.from({ length }, words).join(' ');
  await knowledgeBases.create({
    id: baseId,
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'Base',
    createdMs: Date.now(),
  });
  await knowledgeBases.addSources([
    {
      id: sourceId,
      knowledgeBaseId: baseId,
      type: 'text',
      fileName: 'Source',
      status: 'ready',
      error: null,
      attempts: 0,
      createdMs: Date.now(),
    },
  ]);
  for (let stored = 0; stored < chunks; stored += CHUNKS_PER_WRITE) {
    const length = Math.min(CHUNKS_PER_WRITE, chunks - stored);
    const batch = Array.from({ length }, () => ({
      page: null,
      heading: text(HEADING_WORDS),
      content: text(CONTENT_WORDS),
    }));
    await knowledgeChunks.add(baseId, sourceId, batch);
  }
  const times: number[] = [];
  for (let nth = 0; nth < searches; nth++) {
    const query = text(QUERY_WORDS);
    const started = performance.now();
    await knowledgeChunks.read(DEFAULT_ORGANIZATION_ID, await knowledgeChunks.best([baseId], query));
    times.push(performance.now() - started);
  }
  const { p50, p99 } = percentilesOf(times);
  report.add({ database: name, chunks, 'p50 ms': p50.toFixed(1), 'p99 ms': p99.toFixed(1) });
}

async function onDatabase(name: string, databaseUrl: string | null): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const database = await openDatabase({ dataDir, databaseUrl });
  try {
    await measure(name, database);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await onDatabase('SQLite', null);
await onTemporaryPostgres(report, (databaseUrl) => onDatabase('PostgreSQL', databaseUrl));
await report.finish({ chunks, searches });

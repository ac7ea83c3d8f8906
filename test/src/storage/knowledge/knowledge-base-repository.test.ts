import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import {
  type KnowledgeSource,
  SOURCES_MAX,
  WAITING_SOURCES_MAX,
} from '../../../../src/storage/knowledge/knowledge-base-repository.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { onEachDatabase, START_MS } from '../temporary-database.ts';

/** Creates three knowledge bases in the organization. */
async function createThreeBases(database: Database, organizationId: string) {
  const { knowledgeBases } = createRepositories(database);
  const baseIds = [randomUUID(), randomUUID(), randomUUID()] as const;
  for (const id of baseIds) await knowledgeBases.create({ id, organizationId, name: 'Base', createdMs: START_MS });
  return { knowledgeBases, baseIds };
}

async function storeOrganization(database: Database): Promise<string> {
  const id = randomUUID();
  const organization = { id, name: 'other', created_ms: START_MS, last_listed_us: 0 };
  await database.query.insertInto('organizations').values(organization).execute();
  return id;
}

function sourcesOf(knowledgeBaseId: string, count: number, fields: Partial<KnowledgeSource> = {}): KnowledgeSource[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    knowledgeBaseId,
    type: 'text',
    fileName: 'Source',
    status: 'ingesting',
    error: null,
    attempts: 0,
    createdMs: START_MS,
    ...fields,
  }));
}

onEachDatabase((temporaryDatabase) => {
  describe('waiting sources', () => {
    it('have a maximum for each organization, over all its knowledge bases', async () => {
      const database = await temporaryDatabase();
      const { baseIds, knowledgeBases } = await createThreeBases(database, DEFAULT_ORGANIZATION_ID);
      const [first, second, third] = baseIds;
      const half = WAITING_SOURCES_MAX / 2;
      expect(await knowledgeBases.addSources(sourcesOf(third, half))).toBe('added');
      expect(await knowledgeBases.addSources(sourcesOf(first, half - 1))).toBe('added');
      expect(await knowledgeBases.addSources(sourcesOf(second, 2))).toBe('organization_full');
      const [last] = sourcesOf(second, 1);
      expect(await knowledgeBases.addSources(last === undefined ? [] : [last])).toBe('added');
      expect(await knowledgeBases.waitingSources(DEFAULT_ORGANIZATION_ID)).toBe(WAITING_SOURCES_MAX);
      const other = await createThreeBases(database, await storeOrganization(database));
      expect(await knowledgeBases.addSources(sourcesOf(other.baseIds[0], 1))).toBe('added');
      await knowledgeBases.settle(last?.id ?? '', { status: 'ready', error: null });
      expect(await knowledgeBases.addSources(sourcesOf(second, 1))).toBe('added');
    });

    it('do not exceed the maximum when they are added to several bases at once', async () => {
      const database = await temporaryDatabase();
      const { baseIds, knowledgeBases } = await createThreeBases(database, DEFAULT_ORGANIZATION_ID);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          knowledgeBases.addSources(sourcesOf(baseIds[index % 2] ?? '', WAITING_SOURCES_MAX / 4)),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(4);
      expect(await knowledgeBases.waitingSources(DEFAULT_ORGANIZATION_ID)).toBe(WAITING_SOURCES_MAX);
    });

    it('do not exceed the maximum of their base when several requests add them at once', async () => {
      const database = await temporaryDatabase();
      const { baseIds, knowledgeBases } = await createThreeBases(database, DEFAULT_ORGANIZATION_ID);
      const [baseId, other] = baseIds;
      const outcomes = await Promise.all(
        Array.from({ length: 3 }, () => knowledgeBases.addSources(sourcesOf(baseId, SOURCES_MAX / 2))),
      );
      expect(outcomes.toSorted()).toEqual(['added', 'added', 'base_full']);
      expect((await knowledgeBases.sourcesOf([baseId])).get(baseId)).toHaveLength(SOURCES_MAX);
      expect(await knowledgeBases.addSources(sourcesOf(other, 1))).toBe('added');
    });

    it('are not added to a base that is gone', async () => {
      const database = await temporaryDatabase();
      const { baseIds, knowledgeBases } = await createThreeBases(database, DEFAULT_ORGANIZATION_ID);
      await knowledgeBases.remove(DEFAULT_ORGANIZATION_ID, baseIds[0]);
      expect(await knowledgeBases.addSources(sourcesOf(baseIds[0], 1))).toBe('gone');
    });

    it('are found by organization and type, the oldest first', async () => {
      const database = await temporaryDatabase();
      const mine = await createThreeBases(database, DEFAULT_ORGANIZATION_ID);
      const otherId = await storeOrganization(database);
      const other = await createThreeBases(database, otherId);
      const { knowledgeBases } = mine;
      const [late] = sourcesOf(mine.baseIds[0], 1, { createdMs: START_MS + 2 });
      const [early] = sourcesOf(mine.baseIds[1], 1, { createdMs: START_MS + 1 });
      await knowledgeBases.addSources(late === undefined ? [] : [late]);
      await knowledgeBases.addSources(early === undefined ? [] : [early]);
      await knowledgeBases.addSources(sourcesOf(other.baseIds[0], 1));
      await knowledgeBases.addSources(sourcesOf(other.baseIds[0], 1, { type: 'file', status: 'ready' }));
      expect(await knowledgeBases.organizationsToRead('text')).toEqual([otherId, DEFAULT_ORGANIZATION_ID]);
      expect(await knowledgeBases.organizationsToRead('file')).toEqual([]);
      expect(await knowledgeBases.nextToRead(DEFAULT_ORGANIZATION_ID, 'text')).toEqual(early);
      expect(await knowledgeBases.nextToRead(otherId, 'file')).toBeNull();
    });
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import type { KnowledgeChunk } from '../../../../src/storage/knowledge/knowledge-chunk.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { onEachDatabase, START_MS } from '../temporary-database.ts';

const ORGANIZATION = DEFAULT_ORGANIZATION_ID;

/** A knowledge base with one ready source of these chunks. */
async function baseOf(database: Database, chunks: readonly KnowledgeChunk[]) {
  const { knowledgeBases, knowledgeChunks } = createRepositories(database);
  const [baseId, sourceId] = [randomUUID(), randomUUID()];
  await knowledgeBases.create({ id: baseId, organizationId: ORGANIZATION, name: 'Base', createdMs: START_MS });
  await knowledgeBases.addSources([
    {
      id: sourceId,
      knowledgeBaseId: baseId,
      type: 'text',
      fileName: 'Source',
      status: 'ready',
      error: null,
      attempts: 0,
      createdMs: START_MS,
    },
  ]);
  for (let from = 0; from < chunks.length; from += 500) {
    await knowledgeChunks.add(baseId, sourceId, chunks.slice(from, from + 500));
  }
  const search = async (text: string) => {
    const found = await knowledgeChunks.read(ORGANIZATION, await knowledgeChunks.best([baseId], text));
    return found.map(({ content }) => content);
  };
  return { baseId, sourceId, search };
}

const chunk = (content: string, heading = ''): KnowledgeChunk => ({ page: null, heading, content });

onEachDatabase((temporaryDatabase) => {
  describe('a knowledge search', () => {
    it('ranks by relevance, and headings before text', async () => {
      const database = await temporaryDatabase();
      const { search } = await baseOf(database, [
        chunk('The pool is open until nine.'),
        chunk('Breakfast is served in the hall.', 'Breakfast'),
        chunk('The hall has a piano, and now and then there is breakfast, lunch or dinner beside it.'),
      ]);
      expect(await search('when is breakfast')).toEqual([
        'Breakfast is served in the hall.',
        'The hall has a piano, and now and then there is breakfast, lunch or dinner beside it.',
        'The pool is open until nine.',
      ]);
      expect(await search('sauna')).toEqual([]);
    });

    it.each([
      ['bookings', 'A booking can be changed.'],
      ['OFFNUNGSZEIT', 'Die Öffnungszeiten sind täglich.'],
      ['ouverture réservé', 'Les places réservées sont gratuites.'],
      ['парковка', 'Есть бесплатная парковка.'],
      ['B12', 'Room B12 has a view.'],
    ])('finds «%s» in «%s»', async (query, content) => {
      const { search } = await baseOf(await temporaryDatabase(), [chunk(content), chunk('Something else.')]);
      expect(await search(query)).toEqual([content]);
    });

    it.each([
      '',
      '   ',
      '"',
      '* OR base:x',
      'NEAR(',
      "'; DROP TABLE calls; --",
      'a" OR "b',
      '{content}: x',
      '\u0000',
      '🙂',
    ])('reads %j as words, not as query syntax', async (query) => {
      const { search } = await baseOf(await temporaryDatabase(), [chunk('Nothing of that kind stands here.')]);
      expect(await search(query)).toEqual([]);
    });

    it('finds nothing in other bases or in sources that are not ready', async () => {
      const database = await temporaryDatabase();
      const { knowledgeBases, knowledgeChunks } = createRepositories(database);
      const first = await baseOf(database, [chunk('Parking is free.')]);
      const second = await baseOf(database, [chunk('Parking costs ten euros.')]);
      expect(await first.search('parking')).toEqual(['Parking is free.']);
      const both = await knowledgeChunks.best([first.baseId, second.baseId], 'parking');
      expect(await knowledgeChunks.read(ORGANIZATION, both)).toHaveLength(2);
      expect(await knowledgeChunks.read(randomUUID(), both), 'another organization').toEqual([]);
      await knowledgeBases.settle(first.sourceId, { status: 'failed', error: 'x' });
      expect(await first.search('parking')).toEqual([]);
      expect(await knowledgeChunks.best([], 'parking')).toEqual([]);
    });

    it('reflects removed and added sources', async () => {
      const database = await temporaryDatabase();
      const { knowledgeChunks } = createRepositories(database);
      const { baseId, search, sourceId } = await baseOf(
        database,
        Array.from({ length: 120 }, () => chunk('Old words.')),
      );
      expect(await search('old')).toHaveLength(32);
      while (await knowledgeChunks.removeSome(sourceId));
      expect(await search('old')).toEqual([]);
      await knowledgeChunks.add(baseId, sourceId, [chunk('New words.')]);
      expect(await search('words')).toEqual(['New words.']);
    });

    it('returns the 32 best of 1,000 chunks', async () => {
      const chunks = Array.from({ length: 1_000 }, (_, nth) => chunk(`Chunk ${nth} is about breakfast.`));
      const { search } = await baseOf(await temporaryDatabase(), chunks);
      expect(await search('breakfast')).toHaveLength(32);
    });
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../storage/temporary-database.ts';
import { addOtherBase, addSourceTo, embeddingBed, meanings } from './embedding-bed.ts';

const PARKING = 'Parking lot in the basement, free of charge.';
const BREAKFAST = 'Breakfast from seven to ten, buffet in the hall.';
const POOL = 'The pool on the roof is heated all year.';
const MANY = Array.from({ length: 70 }, (_, nth) => `Sentence ${nth}.`);

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

onEachDatabase((temporaryDatabase) => {
  describe('embedded knowledge', () => {
    it('is found by the meaning of a question that shares no words with it', async () => {
      const { addSource, isDone, runnerOf, search, searcherOf } = await embeddingBed(await temporaryDatabase());
      await addSource(PARKING, BREAKFAST, POOL);
      runnerOf();
      await until(async () => expect(await isDone()).toBe(true));
      const question = 'Where do I leave my vehicle?';
      expect(await search(question, null), 'by words alone').toEqual([]);
      const vectorSearch = searcherOf();
      expect((await search(question, vectorSearch))[0]).toBe(PARKING);
      expect((await search('Anywhere for a swim?', vectorSearch))[0]).toBe(POOL);
      // The first hit of both rankings, by words and by meaning.
      expect((await search('What is there to eat, is there a buffet?', vectorSearch))[0]).toBe(BREAKFAST);
      expect(await search(question, vectorSearch, randomUUID()), 'another organization').toEqual([]);
    });

    it('is requested in batches of at most 32 texts, each text once', async () => {
      const { addSource, emulator, isDone, runnerOf, vectors } = await embeddingBed(await temporaryDatabase());
      await addSource(...MANY);
      runnerOf();
      await until(async () => expect(await isDone()).toBe(true));
      expect(emulator.requests.map(({ input }) => input.length)).toEqual([32, 32, 6]);
      expect(emulator.requests.flatMap(({ input }) => input)).toEqual(MANY);
      expect(await vectors()).toHaveLength(70);
    });

    it('of one organization does not wait for all texts of another', async () => {
      const bed = await embeddingBed(await temporaryDatabase());
      await bed.addSource(...MANY);
      await bed.addSource(...MANY);
      await addSourceTo(bed.repositories, await addOtherBase(bed.repositories), [PARKING]);
      bed.runnerOf();
      await until(async () => expect(await bed.isDone()).toBe(true));
      expect(bed.emulator.requests.findIndex(({ input }) => input.includes(PARKING))).toBe(1);
      expect(bed.emulator.requests.map(({ input }) => input.length)).toEqual([32, 1, 32, 6, 32, 32, 6]);
    });

    it('is not found after its source was removed, and its vectors are deleted', async () => {
      const bed = await embeddingBed(await temporaryDatabase());
      const { knowledgeBases, knowledgeChunks } = bed.repositories;
      const sourceId = await bed.addSource(PARKING);
      await bed.addSource(POOL);
      bed.runnerOf();
      await until(async () => expect(await bed.isDone()).toBe(true));
      const vectorSearch = bed.searcherOf();
      expect(await bed.search('vehicle', vectorSearch)).toContain(PARKING);
      await knowledgeBases.removeSources(bed.baseId, [sourceId]);
      expect(await bed.search('vehicle', vectorSearch)).toEqual([POOL]);
      while (await knowledgeChunks.removeSome(sourceId));
      expect(await bed.vectors()).toHaveLength(1);
    });

    it('is embedded again for another model, and old vectors are not searched', async () => {
      const bed = await embeddingBed(await temporaryDatabase(), (body) =>
        body.model === 'large'
          ? { type: 'vectors', vectors: body.input.map((text) => [1, text === PARKING ? 1 : 0]) }
          : meanings(body),
      );
      await bed.addSource(PARKING, POOL);
      const first = bed.runnerOf('small');
      await until(async () => expect(await bed.isDone('small')).toBe(true));
      await first.runner.stop();
      expect(await bed.search('vehicle', bed.searcherOf('large'))).toEqual([]);
      bed.runnerOf('large');
      await until(async () => expect(await bed.isDone('large')).toBe(true));
      expect((await bed.vectors()).map(({ model }) => model)).toEqual(['large', 'large']);
      expect(await bed.search('vehicle', bed.searcherOf('large'))).toHaveLength(2);
      expect(await bed.search('vehicle', bed.searcherOf('small'))).toEqual([]);
    });

    it('skips a text that the model refuses, and embeds the others', async () => {
      const bed = await embeddingBed(await temporaryDatabase(), (body) =>
        body.input.includes(BREAKFAST) ? { type: 'refusal', status: 400 } : meanings(body),
      );
      await bed.addSource(PARKING, BREAKFAST, POOL);
      const { pauses } = bed.runnerOf();
      await until(async () => expect(await bed.isDone()).toBe(true));
      expect(pauses.requestedMs).toEqual([]);
      const vectorSearch = bed.searcherOf();
      expect((await bed.search('vehicle', vectorSearch)).toSorted()).toEqual([PARKING, POOL].toSorted());
      expect(await bed.search('breakfast', vectorSearch), 'by its word').toContain(BREAKFAST);
    });
  });

  describe('an embedder that fails', () => {
    it('fails no source: search by words works, and retries follow after growing pauses or the requested delay', async () => {
      const answers = [500, 500, 429, 503];
      const bed = await embeddingBed(await temporaryDatabase(), (body, nth) => {
        const status = answers[nth - 1];
        if (status === undefined) return meanings(body);
        return { type: 'refusal', status, headers: status === 429 ? { 'retry-after': '30' } : {} };
      });
      await bed.addSource(...MANY);
      const { pauses } = bed.runnerOf();
      for (let count = 1; count <= answers.length; count++) {
        await pauses.reached(count);
        expect(await bed.search('sentence 69', null)).toContain('Sentence 69.');
        expect(await bed.isDone()).toBe(false);
        pauses.end();
      }
      await until(async () => expect(await bed.isDone()).toBe(true));
      expect(pauses.requestedMs).toEqual([1_000, 2_000, 30_000, 8_000]);
      const inputs = bed.emulator.requests.map(({ input }) => input.length);
      expect(inputs, 'embedded texts are not requested again').toEqual([32, 32, 32, 32, 32, 32, 6]);
      expect(bed.warnings).toHaveLength(4);
      expect(bed.warnings.join()).not.toContain('sk-emulated');
    });

    it('is not retried earlier for new sources', async () => {
      const bed = await embeddingBed(await temporaryDatabase(), () => ({ type: 'refusal', status: 500 }));
      await bed.addSource(PARKING);
      const { pauses, runner } = bed.runnerOf();
      await pauses.reached(1);
      await bed.addSource(POOL);
      for (let nth = 0; nth < 10; nth++) runner.wake();
      await runner.stop();
      expect(bed.emulator.requests).toHaveLength(1);
    });

    it('and refuses every text does not mark the texts as refused', async () => {
      const bed = await embeddingBed(await temporaryDatabase(), () => ({ type: 'refusal', status: 404 }));
      await bed.addSource(PARKING, POOL);
      const { pauses } = bed.runnerOf();
      await pauses.reached(1);
      expect(pauses.requestedMs).toEqual([600_000]);
      expect(await bed.vectors()).toEqual([]);
      expect(await bed.isDone()).toBe(false);
    });

    it.each([
      ['never answers', { type: 'silence' }, 50],
      ['stops in the middle', { type: 'stall' }, 50],
      ['refuses', { type: 'refusal', status: 503 }, 30_000],
      ['returns malformed vectors', { type: 'raw', body: '{"data":[]}' }, 30_000],
    ] as const)('and %s leaves the search by words working', async (_failure, answer, withinMs) => {
      const bed = await embeddingBed(await temporaryDatabase(), (body, nth) => (nth === 0 ? meanings(body) : answer));
      await bed.addSource(PARKING, POOL);
      bed.runnerOf();
      await until(async () => expect(await bed.isDone()).toBe(true));
      const vectorSearch = bed.searcherOf('small', withinMs);
      expect(await bed.search('Is there a pool?', vectorSearch)).toEqual([POOL]);
      expect(await bed.search('vehicle', vectorSearch)).toEqual([]);
    });

    it('five times in a row gets no request from the next search', async () => {
      const bed = await embeddingBed(await temporaryDatabase(), (body, nth) =>
        nth === 0 ? meanings(body) : { type: 'refusal', status: 503 },
      );
      await bed.addSource(POOL);
      bed.runnerOf();
      await until(async () => expect(await bed.isDone()).toBe(true));
      const vectorSearch = bed.searcherOf();
      for (let nth = 0; nth < 6; nth++) expect(await bed.search('pool', vectorSearch)).toEqual([POOL]);
      expect(bed.emulator.requests).toHaveLength(1 + 5);
    });
  });

  it('a search in a base without embedded sources sends no request', async () => {
    const bed = await embeddingBed(await temporaryDatabase());
    await bed.addSource(POOL);
    expect(await bed.search('pool', bed.searcherOf())).toEqual([POOL]);
    expect(bed.emulator.requests).toEqual([]);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { nearestVectors } from '../../../../src/background/knowledge/nearest-vectors.ts';
import { fusedRanks } from '../../../../src/background/knowledge/rank-fusion.ts';
import { VectorIndex } from '../../../../src/background/knowledge/vector-index.ts';
import type { ChunkVector } from '../../../../src/storage/knowledge/knowledge-vector-repository.ts';
import { seededRandom } from '../../../seeded-random.ts';

/** Pseudorandom vectors of norm 1, equal in every run. */
function vectorSource(dimensions: number): () => Float32Array {
  const random = seededRandom(11);
  const next = () => random() - 0.5;
  return () => {
    const vector = Float32Array.from({ length: dimensions }, next);
    const length = Math.hypot(...vector);
    return vector.map((number) => number / length);
  };
}

function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, number, at) => sum + number * (right[at] ?? 0), 0);
}

/** A store of vectors by source that records its reads. */
function stored(sources: Readonly<Record<string, readonly Float32Array[]>>) {
  const reads: string[] = [];
  let firstId = 0;
  const rows = new Map<string, readonly ChunkVector[]>();
  for (const [sourceId, vectors] of Object.entries(sources)) {
    rows.set(
      sourceId,
      vectors.map((vector) => ({ chunkId: ++firstId, vector })),
    );
  }
  return {
    reads,
    read: async (sourceId: string, _model: string, after: number, limit: number) => {
      if (after === 0) reads.push(sourceId);
      return (rows.get(sourceId) ?? []).filter(({ chunkId }) => chunkId > after).slice(0, limit);
    },
  };
}

function indexOf(vectors: ConstructorParameters<typeof VectorIndex>[0], bytesMax?: number) {
  const index = new VectorIndex(vectors, 'small', bytesMax);
  onTestFinished(() => index.close());
  return {
    index,
    find: async (sourceIds: readonly string[], query: Float32Array, limit = 3) => {
      await index.load(sourceIds);
      return index.search(sourceIds, query, limit);
    },
  };
}

describe('the nearest vectors', () => {
  it.each([1, 3, 4, 7, 64])('are those with the greatest cosine, in %i dimensions', (dimensions) => {
    const next = vectorSource(dimensions);
    const vectors = Array.from({ length: 500 }, next);
    const query = next();
    const numbers = new Float32Array(vectors.flatMap((vector) => [...vector]));
    const ids = Float64Array.from(vectors.keys());
    const found = nearestVectors([{ ids, numbers }], query, 10);
    const cosines = vectors.map((vector) => cosine(vector, query));
    const greatest = [...cosines].sort((a, b) => b - a).slice(0, 10);
    expect(found).toHaveLength(10);
    for (const [place, id] of found.entries()) expect(cosines[id]).toBeCloseTo(greatest[place] ?? Number.NaN, 5);
  });

  it('are all vectors of the same dimensions if there are fewer than the limit', () => {
    const query = Float32Array.from([1, 0]);
    const short = { ids: Float64Array.from([9]), numbers: Float32Array.from([1]) };
    const block = { ids: Float64Array.from([1, 2]), numbers: Float32Array.from([0, 1, 1, 0]) };
    expect(nearestVectors([short, block], query, 5)).toEqual([2, 1]);
    expect(nearestVectors([], query, 5)).toEqual([]);
  });
});

describe('a fused ranking', () => {
  it('prefers ids that rank high in both, then by rank', () => {
    const fused = (rankings: readonly (readonly number[])[]) => fusedRanks(rankings).map(({ id }) => id);
    expect(
      fused([
        [1, 2, 3],
        [3, 4],
      ]),
    ).toEqual([3, 1, 2, 4]);
    expect(fused([[5, 6], []]), 'one empty ranking').toEqual([5, 6]);
    expect(fusedRanks([])).toEqual([]);
  });

  it('scores 1 what is first in every ranking, and less what is not', () => {
    const [first, second] = fusedRanks([
      [1, 2],
      [1, 3],
    ]);
    expect(first).toEqual({ id: 1, score: 1 });
    expect(second?.score).toBeGreaterThan(0);
    expect(second?.score).toBeLessThan(0.5);
  });
});

describe('the vector index', () => {
  it('searches the given sources and reads each once', async () => {
    const next = vectorSource(8);
    const sources = { a: Array.from({ length: 250 }, next), b: Array.from({ length: 30 }, next) };
    const vectors = stored(sources);
    const { find } = indexOf(vectors);
    const [a, b] = [sources.a[249], sources.b[29]];
    if (a === undefined || b === undefined) throw new Error('no vector');
    const found = await Promise.all([find(['a'], a), find(['a', 'b'], b), find(['b'], b)]);
    expect(found.map(([first]) => first)).toEqual([250, 280, 280]);
    expect(await find([], a)).toEqual([]);
    expect(await find(['c'], a)).toEqual([]);
    expect(vectors.reads).toEqual(['a', 'b', 'c']);
  });

  it('evicts the least recently searched source and reads it again', async () => {
    const next = vectorSource(4);
    const sources = { a: [next()], b: [next()], c: [next()] };
    const vectors = stored(sources);
    const { find } = indexOf(vectors, 2 * 16);
    const query = next();
    for (const source of ['a', 'b', 'a', 'c']) await find([source], query);
    expect(vectors.reads).toEqual(['a', 'b', 'c']);
    expect(await find(['a'], query)).toEqual([1]);
    expect(vectors.reads, 'a was searched after b').toEqual(['a', 'b', 'c']);
    expect(await find(['b'], query)).toEqual([2]);
    expect(vectors.reads).toEqual(['a', 'b', 'c', 'b']);
  });

  it('searches the part of a source that fits', async () => {
    const next = vectorSource(4);
    const { find } = indexOf(stored({ a: Array.from({ length: 250 }, next) }), 200 * 16);
    const found = await find(['a'], next(), 1_000);
    expect(Math.max(...found)).toBe(200);
    expect(found).toHaveLength(200);
  });

  it('reads a source again after a failed read', async () => {
    const vector = vectorSource(4)();
    const vectors = stored({ a: [vector] });
    let isBroken = true;
    const { find } = indexOf({
      read: (...query) => (isBroken ? Promise.reject(new Error('no database')) : vectors.read(...query)),
    });
    await expect(find(['a'], vector)).rejects.toThrow('no database');
    isBroken = false;
    expect(await find(['a'], vector)).toEqual([1]);
  });

  it('finds nothing after it was closed', async () => {
    const vector = vectorSource(4)();
    const { find, index } = indexOf(stored({ a: [vector] }));
    expect(await find(['a'], vector)).toEqual([1]);
    await index.close();
    expect(await find(['a'], vector)).toEqual([]);
  });
});

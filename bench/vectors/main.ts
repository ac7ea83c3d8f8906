import { parseArgs } from 'node:util';
import { VectorIndex } from '../../src/background/knowledge/vector-index.ts';
import type { ChunkVector } from '../../src/storage/knowledge/knowledge-vector-repository.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * Vector searches of a knowledge base: the worker that compares a question's vector with the vector of every chunk, without
 * embedder and database, compared with the same multiplications on the main thread.
 *
 *     node bench/vectors/main.ts [--searches 200]
 */
const { values } = parseArgs({ options: { searches: { type: 'string', default: '200' } } });
const SEARCHES = Number(values.searches);
const SIZES = [
  { chunks: 1_000, dimensions: 1_536 },
  { chunks: 10_000, dimensions: 384 },
  { chunks: 10_000, dimensions: 768 },
  { chunks: 10_000, dimensions: 1_536 },
  { chunks: 10_000, dimensions: 3_072 },
] as const;
const FOUND = 32;

const report = new Report('vectors');
for (const { chunks, dimensions } of SIZES) await measure(chunks, dimensions);
report.note('The bare loop: the same number of multiplications and additions in one sum, on the main thread.');
await report.finish({ searches: SEARCHES });

async function measure(chunks: number, dimensions: number): Promise<void> {
  const stored = Array.from(
    { length: chunks },
    (_, at): ChunkVector => ({ chunkId: at + 1, vector: unit(dimensions) }),
  );
  const read = async (_source: string, _model: string, after: number, limit: number) =>
    stored.slice(after, after + limit);
  const index = new VectorIndex({ read }, 'bench');
  const loadStartMs = performance.now();
  await index.load(['source']);
  await index.search(['source'], unit(dimensions), FOUND);
  const loadMs = performance.now() - loadStartMs;
  const times: number[] = [];
  const bare: number[] = [];
  for (let nth = 0; nth < SEARCHES; nth++) {
    const query = unit(dimensions);
    const startMs = performance.now();
    await index.search(['source'], query, FOUND);
    times.push(performance.now() - startMs);
    if (nth % 10 === 0) bare.push(bareLoop(stored, query));
  }
  await index.close();
  const { p50, p99 } = percentilesOf(times);
  report.add({
    chunks,
    dimensions,
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    'best ms': Math.min(...times).toFixed(1),
    'bare loop p50 ms': percentilesOf(bare).p50.toFixed(1),
    'first load ms': loadMs.toFixed(0),
    'MiB kept': ((chunks * dimensions * 4) / 2 ** 20).toFixed(0),
  });
}

function bareLoop(vectors: readonly ChunkVector[], query: Float32Array): number {
  const startMs = performance.now();
  let sum = 0;
  for (const { vector } of vectors)
    for (let at = 0; at < query.length; at++) sum += (vector[at] ?? 0) * (query[at] ?? 0);
  return Number.isNaN(sum) ? Number.NaN : performance.now() - startMs;
}

function unit(dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return vector.map((number) => number / length);
}

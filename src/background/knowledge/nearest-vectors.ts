/** Vectors of equal length, stored consecutively, with the ids of their chunks. */
export interface VectorBlock {
  readonly ids: Float64Array;
  /** Length: number of ids × dimensions. */
  readonly numbers: Float32Array;
}

const FLOAT_BYTES = 4;

interface Candidate {
  readonly id: number;
  readonly nearness: number;
}

/**
 * Ids of the vectors with the highest cosine similarity to the query, best first. All vectors have norm 1, so the cosine is the dot
 * product. Blocks of other dimensions are skipped. The search is exact: about 1 µs per vector of 1,536 dimensions.
 */
export function nearestVectors(blocks: Iterable<VectorBlock>, query: Float32Array, limit: number): readonly number[] {
  const best: Candidate[] = [];
  const queryView = viewOf(query);
  for (const { ids, numbers } of blocks) {
    if (numbers.length !== ids.length * query.length) continue;
    const vectors = viewOf(numbers);
    for (const [place, id] of ids.entries()) {
      const nearness = dotProduct(vectors, place * queryView.byteLength, queryView);
      const last = best[limit - 1];
      if (last === undefined || nearness > last.nearness) insert(best, { id, nearness }, limit);
    }
  }
  return best.map(({ id }) => id);
}

function insert(best: Candidate[], candidate: Candidate, limit: number): void {
  const found = best.findIndex(({ nearness }) => nearness < candidate.nearness);
  best.splice(found === -1 ? best.length : found, 0, candidate);
  if (best.length > limit) best.pop();
}

function viewOf({ buffer, byteLength, byteOffset }: Float32Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Uses four independent sums, so that the additions do not wait for each other. `DataView` reads are as fast as typed array reads.
 * `from` is in bytes.
 */
function dotProduct(vectors: DataView, from: number, query: DataView): number {
  const { byteLength } = query;
  const wholes = byteLength - (byteLength % (4 * FLOAT_BYTES));
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < wholes; at += 4 * FLOAT_BYTES) {
    a += vectors.getFloat32(from + at, true) * query.getFloat32(at, true);
    b += vectors.getFloat32(from + at + 4, true) * query.getFloat32(at + 4, true);
    c += vectors.getFloat32(from + at + 8, true) * query.getFloat32(at + 8, true);
    d += vectors.getFloat32(from + at + 12, true) * query.getFloat32(at + 12, true);
  }
  for (let at = wholes; at < byteLength; at += FLOAT_BYTES) {
    a += vectors.getFloat32(from + at, true) * query.getFloat32(at, true);
  }
  return a + b + c + d;
}

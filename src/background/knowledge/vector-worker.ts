import { parentPort } from 'node:worker_threads';
import { nearestVectors, type VectorBlock } from './nearest-vectors.ts';

/** Messages to the worker. Only a search has a reply. */
export type VectorRequest =
  /** Adds vectors of a source. */
  | { readonly type: 'keep'; readonly sourceId: string; readonly block: VectorBlock }
  | { readonly type: 'drop'; readonly sourceId: string }
  /** Searches the cached sources among these. */
  | {
      readonly type: 'search';
      readonly id: number;
      readonly sourceIds: readonly string[];
      readonly query: Float32Array;
      readonly limit: number;
    };

export interface VectorResponse {
  readonly id: number;
  /** Best first. */
  readonly chunkIds: readonly number[];
}

const cached = new Map<string, VectorBlock[]>();

parentPort?.on('message', (request: VectorRequest) => {
  switch (request.type) {
    case 'keep':
      cached.set(request.sourceId, [...(cached.get(request.sourceId) ?? []), request.block]);
      return;
    case 'drop':
      cached.delete(request.sourceId);
      return;
    case 'search': {
      const blocks = request.sourceIds.flatMap((sourceId) => cached.get(sourceId) ?? []);
      const answer: VectorResponse = { id: request.id, chunkIds: nearestVectors(blocks, request.query, request.limit) };
      parentPort?.postMessage(answer);
    }
  }
});

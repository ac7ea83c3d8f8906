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

const kept = new Map<string, VectorBlock[]>();

parentPort?.on('message', (order: VectorRequest) => {
  switch (order.type) {
    case 'keep':
      kept.set(order.sourceId, [...(kept.get(order.sourceId) ?? []), order.block]);
      return;
    case 'drop':
      kept.delete(order.sourceId);
      return;
    case 'search': {
      const blocks = order.sourceIds.flatMap((sourceId) => kept.get(sourceId) ?? []);
      const answer: VectorResponse = { id: order.id, chunkIds: nearestVectors(blocks, order.query, order.limit) };
      parentPort?.postMessage(answer);
    }
  }
});

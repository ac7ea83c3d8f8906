import type { Clock } from '../../../base/time/clock.ts';
import type { Knowledge } from '../../ports/knowledge.ts';
import type { RecordedSearch } from './recorded-responses.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

/**
 * The n-th search returns the n-th recorded result after its recorded delay. A different search is reported to
 * `onDifference` first. A search after the last recorded one fails.
 */
export function createTapeKnowledge(
  results: readonly RecordedSearch[],
  after: Clock['after'],
  onDifference: OnDifference,
): Knowledge {
  let searches = 0;
  return {
    search(search, done) {
      const index = searches++;
      const recorded = results[index];
      const difference =
        recorded === undefined
          ? { path: 'end', recorded: undefined, actual: search }
          : firstDifference(recorded.search, search);
      if (difference !== undefined) onDifference({ kind: 'search', index, ...difference });
      after(recorded?.delayMs ?? 0, () => done(recorded?.result ?? { type: 'failed' }));
    },
  };
}

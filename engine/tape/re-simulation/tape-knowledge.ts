import type { Clock } from '../../../base/time/clock.ts';
import type { Knowledge } from '../../ports/knowledge.ts';
import type { RecordedSearch } from './recorded-responses.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

/**
 * The n-th search finds what the n-th recorded one found, after its delay. One that is not the recorded search is told to
 * `onDifference` first; past the end of the tape it fails.
 */
export function createTapeKnowledge(
  answers: readonly RecordedSearch[],
  after: Clock['after'],
  onDifference: OnDifference,
): Knowledge {
  let searches = 0;
  return {
    search(search, done) {
      const nth = searches++;
      const recorded = answers[nth];
      const difference =
        recorded === undefined
          ? { path: 'end', recorded: undefined, asked: search }
          : firstDifference(recorded.search, search);
      if (difference !== undefined) onDifference({ kind: 'search', nth, ...difference });
      after(recorded?.delayMs ?? 0, () => done(recorded?.result ?? { type: 'failed' }));
    },
  };
}

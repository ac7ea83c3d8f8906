import type { Clock } from '../../../base/time/clock.ts';
import type { ToolResult, ToolRunner } from '../../ports/tool-runner.ts';
import type { RecordedToolResult } from './recorded-responses.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

const NOT_ON_TAPE: ToolResult = { successful: false, content: 'The tape has no further result.', mapped: [] };

/**
 * The n-th run gets the n-th recorded result after its recorded delay. A different run is reported to `onDifference`
 * first. A run after the last recorded one fails.
 */
export function createTapeTools(
  results: readonly RecordedToolResult[],
  after: Clock['after'],
  onDifference: OnDifference,
): ToolRunner {
  let runs = 0;
  return {
    run(run, done) {
      const index = runs++;
      const recorded = results[index];
      const difference =
        recorded === undefined ? { path: 'end', recorded: undefined, actual: run } : firstDifference(recorded.run, run);
      if (difference !== undefined) onDifference({ kind: 'tool', index, ...difference });
      after(recorded?.delayMs ?? 0, () => done(recorded?.result ?? NOT_ON_TAPE));
    },
  };
}

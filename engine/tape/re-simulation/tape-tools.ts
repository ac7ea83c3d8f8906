import type { Clock } from '../../../base/time/clock.ts';
import type { ToolResult, ToolRunner } from '../../ports/tool-runner.ts';
import type { RecordedToolResult } from './recorded-responses.ts';
import { firstDifference, type OnDifference } from './request-difference.ts';

const NOT_ON_TAPE: ToolResult = { successful: false, content: 'The tape has no further result.', mapped: [] };

/**
 * The n-th run gets the n-th recorded result, after its delay. One that is not the recorded run is told to `onDifference`
 * first; past the end of the tape it fails.
 */
export function createTapeTools(
  answers: readonly RecordedToolResult[],
  after: Clock['after'],
  onDifference: OnDifference,
): ToolRunner {
  let runs = 0;
  return {
    run(run, done) {
      const nth = runs++;
      const recorded = answers[nth];
      const difference =
        recorded === undefined ? { path: 'end', recorded: undefined, asked: run } : firstDifference(recorded.run, run);
      if (difference !== undefined) onDifference({ kind: 'tool', nth, ...difference });
      after(recorded?.delayMs ?? 0, () => done(recorded?.result ?? NOT_ON_TAPE));
    },
  };
}

import type { Clock } from '../../base/time/clock.ts';
import type { ToolRunner } from '../../engine/ports/tool-runner.ts';
import { answeredResult } from '../calls/custom-functions/http-tool-result.ts';
import { mapResponse } from '../calls/custom-functions/response-mapping.ts';
import type { CannedResult } from './test-file.ts';

/** Answers functions that the test file names with its results, processed like HTTP responses. Runs all other functions. */
export function cannedTools(canned: ReadonlyMap<string, CannedResult>, runner: ToolRunner, clock: Clock): ToolRunner {
  return {
    run(toolRun, done, toolCallId) {
      const cannedResult = canned.get(toolRun.tool.name);
      if (cannedResult === undefined) {
        runner.run(toolRun, done, toolCallId);
        return;
      }
      const { result, status } = cannedResult;
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      const { response_mapping: mapping } = toolRun.tool;
      const isMapped = mapping.length > 0 && status < 300;
      const mapped = isMapped ? mapResponse(text, mapping) : { mapped: [], problems: [] };
      const response = { status, contentType: null, body: Buffer.from(text), cutOff: false };
      clock.after(0, () => done(answeredResult(response, text, mapped)));
    },
  };
}

import type { Clock } from '../../../base/time/clock.ts';
import type { ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { answeredResult } from '../../calls/custom-functions/http-tool-result.ts';
import { mapResponse } from '../../calls/custom-functions/response-mapping.ts';
import type { CannedResult } from './test-file.ts';

/** Answers the named functions with what stands in the file, read as a response over HTTP is; runs all others. */
export function cannedTools(
  canned: ReadonlyMap<string, CannedResult>,
  otherwise: ToolRunner,
  clock: Clock,
): ToolRunner {
  return {
    run(order, done) {
      const found = canned.get(order.tool.name);
      if (found === undefined) {
        otherwise.run(order, done);
        return;
      }
      const { result, status } = found;
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      const { response_mapping: mapping } = order.tool;
      const isMapped = mapping.length > 0 && status < 300;
      const mapped = isMapped ? mapResponse(text, mapping) : { mapped: [], problems: [] };
      const response = { status, contentType: null, body: Buffer.from(text), cutOff: false };
      clock.after(0, () => done(answeredResult(response, text, mapped)));
    },
  };
}

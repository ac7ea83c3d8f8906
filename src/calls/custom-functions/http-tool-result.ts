import type { ToolResult } from '../../../engine/ports/tool-runner.ts';
import type { GuardedResponse } from '../../outgoing-http/guarded-http.ts';
import type { MappingOutcome } from './response-mapping.ts';
import { RESPONSE_BYTES_MAX } from './tool-request.ts';

/** Size of a tool result for the model, bytes of UTF-8. */
const CONTENT_BYTES_MAX = 16_384;
const CUT_NOTE = '\n[cut off here: the rest is too long]';

/** The result of a call without a response. */
export function failedResult(reason: string): ToolResult {
  return { successful: false, content: bounded(`The request failed: ${reason}.`), mapped: [] };
}

/** The result of a call with a response of any status, after its mapping was evaluated. */
export function answeredResult(response: GuardedResponse, text: string, mapping: MappingOutcome): ToolResult {
  const { status } = response;
  const problems = [
    ...(response.cutOff ? [`its response is longer than ${RESPONSE_BYTES_MAX} bytes and was cut off`] : []),
    ...mapping.problems,
  ];
  const good = isGood(status);
  const head = good && problems.length === 0 ? '' : headline(status, problems);
  const content = `${head}${text === '' ? '(The response is empty.)' : text}`;
  return {
    successful: good && problems.length === 0,
    httpStatus: status,
    content: bounded(content),
    mapped: mapping.mapped,
  };
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Informs the model that the server has acted: after a failure, models tend to repeat the call. */
function headline(status: number, problems: readonly string[]): string {
  if (!isGood(status)) return `The server refused with HTTP status ${status}. Its response:\n`;
  return `The server has done what was asked (HTTP status ${status}), but ${problems.join('; ')}. Its response:\n`;
}

function bounded(text: string): string {
  if (text.length * 3 <= CONTENT_BYTES_MAX) return text;
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= CONTENT_BYTES_MAX) return text;
  // In streaming mode the decoder drops an incomplete character at the end.
  const decoder = new TextDecoder();
  return `${decoder.decode(bytes.subarray(0, CONTENT_BYTES_MAX - CUT_NOTE.length), { stream: true })}${CUT_NOTE}`;
}

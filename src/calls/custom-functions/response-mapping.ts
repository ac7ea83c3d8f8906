import { type JsonValue as Document, query } from 'jsonpath-rfc9535';
import type { CustomFunction } from '../../../engine/agent/agent.ts';
import type { JsonValue } from '../../../engine/ports/language-model.ts';
import type { ToolResult } from '../../../engine/ports/tool-runner.ts';

export type ResponseMapping = CustomFunction['response_mapping'];

export interface MappingOutcome {
  readonly mapped: ToolResult['mapped'];
  /** What went wrong, in words for the model; what could be mapped stands in `mapped` all the same. */
  readonly problems: readonly string[];
}

/** All mapped values of one response, as JSON text, in bytes: they go into prompts, the journal and the tape. */
const MAPPED_BYTES_MAX = 65_536;

/** Paths of names and indexes only: one step a segment, whatever the document. */
const SINGULAR_PATH = /^\$(\.[A-Za-z_][A-Za-z0-9_]*|\['[^'\\]*'\]|\["[^"\\]*"\]|\[-?\d+\])*$/;

/** True where reading this path costs no more than its length. Any other path can be made to run for hours. */
export function isCheapPath(path: string): boolean {
  return SINGULAR_PATH.test(path);
}

/**
 * Evaluates a tool's `response_mapping` (RFC 9535) on a response's text. A path that finds one node gives its value,
 * several their list; none gives an empty list where it could have found several, else nothing. Never throws.
 */
export function mapResponse(text: string, mapping: ResponseMapping): MappingOutcome {
  let document: Document;
  try {
    document = JSON.parse(text);
  } catch {
    return { mapped: [], problems: ['the response is not valid JSON'] };
  }
  const mapped: { variable: string; value: JsonValue }[] = [];
  const problems: string[] = [];
  let room = MAPPED_BYTES_MAX;
  for (const { json_path_to_data: path, destination_variable: variable } of mapping) {
    try {
      const found = query(document, path);
      const [value] = found;
      if (value === undefined && isCheapPath(path)) continue;
      const result = value !== undefined && found.length === 1 ? value : found;
      // A value nested too deep for JSON.stringify throws here, before it can do so anywhere else.
      room -= Buffer.byteLength(JSON.stringify(result));
      if (room < 0) return { mapped, problems: [...problems, `what was found for ${variable} is too long`] };
      mapped.push({ variable, value: result });
    } catch {
      problems.push(`the path ${path} could not be read in the response`);
    }
  }
  return { mapped, problems };
}

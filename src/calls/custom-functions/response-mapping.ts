import { type JsonValue as Document, query } from 'jsonpath-rfc9535';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { CustomFunction } from '../../../engine/agent/tool-schema.ts';
import type { ToolResult } from '../../../engine/ports/tool-runner.ts';

export type ResponseMapping = CustomFunction['response_mapping'];

export interface MappingOutcome {
  readonly mapped: ToolResult['mapped'];
  /** Faults as text for the model. `mapped` contains the values that could be mapped. */
  readonly problems: readonly string[];
}

/** Size of all mapped values of a response as JSON, bytes. They are stored in prompts, the journal and the tape. */
const MAPPED_BYTES_MAX = 65_536;

/** Singular queries (RFC 9535 §2.3.5.1): names and indexes only. */
const SINGULAR_PATH = /^\$(\.[A-Za-z_][A-Za-z0-9_]*|\['[^'\\]*'\]|\["[^"\\]*"\]|\[-?\d+\])*$/;

/** The path has at most one match, found in time linear in its length. Other paths can be built to run for hours. */
export function isSingularPath(path: string): boolean {
  return SINGULAR_PATH.test(path);
}

/**
 * Evaluates `response_mapping` (RFC 9535) on the text of a response. One match gives its value, several matches their list. No match:
 * an empty list if the path allows several matches, otherwise no value. Never throws.
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
  let bytesLeft = MAPPED_BYTES_MAX;
  for (const { json_path_to_data: path, destination_variable: variable } of mapping) {
    try {
      const found = query(document, path);
      const [value] = found;
      if (value === undefined && isSingularPath(path)) continue;
      const result = value !== undefined && found.length === 1 ? value : found;
      // A value that is nested too deeply for JSON.stringify throws here and not later.
      bytesLeft -= Buffer.byteLength(JSON.stringify(result));
      if (bytesLeft < 0) return { mapped, problems: [...problems, `what was found for ${variable} is too long`] };
      mapped.push({ variable, value: result });
    } catch {
      problems.push(`the path ${path} could not be read in the response`);
    }
  }
  return { mapped, problems };
}

import type { JsonValue } from '../agent/json-value.ts';
import type { CustomFunction } from '../agent/tool-schema.ts';

/** One call of a `custom_function`. The rules have already filled in templates and parameters. */
export interface ToolRun {
  readonly tool: CustomFunction;
  /** Parameter name → value, from the model's arguments or from variables. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** Filled-in values are percent-encoded. */
  readonly url: string;
  /** Header name → value. Values of `secret` headers are references that the runner resolves. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ToolResult {
  readonly successful: boolean;
  readonly httpStatus?: number;
  /** Text for the model: the response body, at most 16 KiB, or the error. */
  readonly content: string;
  /** Values found by `response_mapping`: untyped, in the order of the mapping. */
  readonly mapped: readonly { readonly variable: string; readonly value: JsonValue }[];
}

/**
 * Runs the agent's functions over HTTP. `run` never throws and calls `done` exactly once, within the tool's timeout.
 * `toolCallId`: as in the transcript.
 */
export interface ToolRunner {
  run(run: ToolRun, done: (result: ToolResult) => void, toolCallId: string): void;
}

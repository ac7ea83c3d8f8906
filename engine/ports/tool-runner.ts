import type { JsonValue } from '../agent/json-value.ts';
import type { CustomFunction } from '../agent/tool-schema.ts';

/** One call of a `custom_function`: templates and parameters are already filled in by the rules. */
export interface ToolRun {
  readonly tool: CustomFunction;
  /** By parameter name: what the model gave or the variables held. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** With percent-encoded values. */
  readonly url: string;
  /** Header name → value; values of `secret` headers are references that the runner resolves. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ToolResult {
  readonly successful: boolean;
  readonly httpStatus?: number;
  /** What the model is told: the body, at most 16 KiB, or what went wrong. */
  readonly content: string;
  /** What `response_mapping` found: untyped, in the order of the mapping. */
  readonly mapped: readonly { readonly variable: string; readonly value: JsonValue }[];
}

/** Runs the agent's functions over HTTP. `run` never throws and calls `done` exactly once, within the tool's timeout. */
export interface ToolRunner {
  run(run: ToolRun, done: (result: ToolResult) => void): void;
}

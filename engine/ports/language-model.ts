import type { JsonValue } from '../agent/json-value.ts';
import type { ProviderError } from './provider-error.ts';

/** JSON Schema (draft 2020-12) of a function's arguments or of a response. */
export type JsonSchema = { readonly [keyword: string]: JsonValue };

export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  /** The result of one tool call of an earlier assistant message. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the model. It may be invalid. */
  readonly arguments: string;
}

export interface ModelFunction {
  /** `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ModelRequest {
  readonly provider: string;
  readonly model: string;
  readonly temperature?: number;
  readonly messages: readonly ModelMessage[];
  readonly functions: readonly ModelFunction[];
  /** The response must be JSON with this schema. `functions` is then empty. */
  readonly answerSchema?: { readonly name: string; readonly schema: JsonSchema };
}

export interface ModelUsage {
  readonly inputTokens: number;
  /** Input tokens served from the provider's cache; absent if the provider does not report them. */
  readonly cachedInputTokens?: number;
  readonly outputTokens: number;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A complete call, merged from its fragments. */
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  /** The last event of a successful generation. */
  | {
      readonly type: 'done';
      readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
      readonly usage?: ModelUsage;
    }
  /** The last event of a failed generation. Text may precede it. */
  | { readonly type: 'failed'; readonly error: ProviderError };

/**
 * Streams a response. `generate` returns immediately; events follow on later turns of the event loop, in order, and
 * exactly one `done` or `failed` ends them. After `cancel` no event is emitted, and the connection is released.
 */
export interface LanguageModel {
  generate(request: ModelRequest, emit: (event: ModelEvent) => void): GenerationHandle;
}

export interface GenerationHandle {
  /** Idempotent. No effect after the end. */
  cancel(): void;
}

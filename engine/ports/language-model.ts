import type { JsonValue } from '../agent/json-value.ts';
import type { ProviderError } from './provider-error.ts';

/** JSON Schema (draft 2020-12) of a function's arguments or of an answer. */
export type JsonSchema = { readonly [keyword: string]: JsonValue };

export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  /** The one result of a call that an assistant message before it asked for. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; it may not parse. */
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
  /** The answer must be JSON of this shape (`functions` is then empty). */
  readonly answerSchema?: { readonly name: string; readonly schema: JsonSchema };
}

export interface ModelUsage {
  readonly inputTokens: number;
  /** Input tokens that the provider served from its cache; absent where it reports none. */
  readonly cachedInputTokens?: number;
  readonly outputTokens: number;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A whole call, its fragments merged. */
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  /** The last event of a generation that worked. */
  | {
      readonly type: 'done';
      readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
      readonly usage?: ModelUsage;
    }
  /** The last event of a generation that failed. Text may have come before. */
  | { readonly type: 'failed'; readonly error: ProviderError };

/**
 * Streams an answer. `generate` returns at once; events come on later turns of the event loop, in order, and exactly one
 * of `done` and `failed` ends them. After `cancel` no event is emitted and the connection is let go.
 */
export interface LanguageModel {
  generate(request: ModelRequest, emit: (event: ModelEvent) => void): GenerationHandle;
}

export interface GenerationHandle {
  /** Idempotent; nothing happens after the end. */
  cancel(): void;
}

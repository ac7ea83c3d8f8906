import type { ModelEvent, ModelRequest, ModelToolCall, ModelUsage } from '../../engine/ports/language-model.ts';
import type { ProviderErrorCode } from '../../engine/ports/provider-error.ts';

export type Finish = Extract<ModelEvent, { type: 'done' }>['finish'];

/** One part of a response, the same for all providers. */
export type ResponsePart =
  | { readonly type: 'text'; readonly text: string }
  /** A whole call, its fragments merged. */
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The response is complete; only its usage may follow. */
  | { readonly type: 'finish'; readonly finish: Finish }
  /** The end of the stream. */
  | { readonly type: 'end' }
  /** The response grows without text: a fragment of a tool call, reasoning. */
  | { readonly type: 'progress' }
  | {
      readonly type: 'failure';
      readonly code: ProviderErrorCode;
      /** Our own text: a provider's text may contain secrets. */
      readonly message: string;
    };

/** Reads one response, and keeps its incomplete parts. */
export interface ResponseReader {
  /** `event` is the JSON of an event's data. */
  take(event: unknown): readonly ResponsePart[];
  /** The response has ended with `[DONE]`. Absent: the API has a last event. */
  completed?(): readonly ResponsePart[];
}

/** Request and response format of one API, over the provider's SDK. No clock. */
export interface ModelProtocol {
  /** Sends the request, and resolves once the response has begun. Rejects with the SDK's error. */
  open(request: ModelRequest, signal: AbortSignal): Promise<Response>;
  reader(request: ModelRequest): ResponseReader;
}

/** `inputTokens` include `cachedTokens`. */
export function usageOf(
  inputTokens: number,
  outputTokens: number,
  cachedTokens: number | null | undefined,
): ModelUsage {
  return { inputTokens, outputTokens, ...(cachedTokens ? { cachedInputTokens: cachedTokens } : {}) };
}

/** For events without content, such as pings: they do not extend a deadline. */
export const NO_PARTS: readonly ResponsePart[] = [];
export const PROGRESS: readonly ResponsePart[] = [{ type: 'progress' }];

export function malformed(message: string): readonly ResponsePart[] {
  return [{ type: 'failure', code: 'malformed', message }];
}

import type { ModelEvent, ModelRequest, ModelToolCall, ModelUsage } from '../../engine/ports/language-model.ts';
import type { ProviderErrorCode } from '../../engine/ports/provider-error.ts';
import type { ServerSentEvent } from '../http/event-stream-reader.ts';
import type { PostRequest } from '../http/event-stream-request.ts';

export type Finish = Extract<ModelEvent, { type: 'done' }>['finish'];

/** What an event of a provider's answer says, in the words of all of them. */
export type ResponsePart =
  | { readonly type: 'text'; readonly text: string }
  /** A whole call, its fragments merged. */
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The answer is whole; only its usage may still come. */
  | { readonly type: 'finish'; readonly finish: Finish }
  /** Nothing more comes. */
  | { readonly type: 'end' }
  /** The answer grows without a word that could be told: a piece of a call, a thought. */
  | { readonly type: 'progress' }
  | {
      readonly type: 'failure';
      readonly code: ProviderErrorCode;
      /** In our own words. */
      readonly message: string;
    };

/** Reads one answer; it holds what is under way of it. */
export interface ResponseReader {
  take(event: ServerSentEvent): readonly ResponsePart[];
}

/** How one kind of provider is asked and understood: no connection, no clock. */
export interface ModelProtocol {
  request(request: ModelRequest): PostRequest;
  reader(request: ModelRequest): ResponseReader;
}

/** `cachedTokens` are among the input's. */
export function usageOf(
  inputTokens: number,
  outputTokens: number,
  cachedTokens: number | null | undefined,
): ModelUsage {
  return { inputTokens, outputTokens, ...(cachedTokens ? { cachedInputTokens: cachedTokens } : {}) };
}

/** For events that say nothing, such as signs of life: they hold up no deadline. */
export const NO_PARTS: readonly ResponsePart[] = [];
export const PROGRESS: readonly ResponsePart[] = [{ type: 'progress' }];

export function malformed(message: string): readonly ResponsePart[] {
  return [{ type: 'failure', code: 'malformed', message }];
}

/** The JSON of an event's data; undefined where it is none. */
export function parsed(event: ServerSentEvent): unknown {
  try {
    return JSON.parse(event.data);
  } catch {
    return undefined;
  }
}

import type { ModelToolCall } from '../../ports/language-model.ts';
import type { ProviderError } from '../../ports/provider-error.ts';

/** Topic `generation`: what decides on eager generation. The current generation is part of the reply. */
export interface GenerationSlice {
  readonly eager: EagerState;
}

/** One streamed response of the model. */
export interface Generation {
  readonly number: number;
  /** The history item that its text goes to. */
  readonly item: number;
  readonly stateIndex: number;
  readonly requestedUs: number;
  readonly firstTokenUs: number | null;
  readonly toolCalls: readonly ModelToolCall[];
  /** It has produced text that can be spoken. */
  readonly spoke: boolean;
  /** Key of the model in `FailoverState.modelsFailedUs`. */
  readonly model: string;
  readonly attempts: ModelAttempts;
  /** It waits for the retry delay: the request is not sent yet. */
  readonly backingOff: boolean;
  /** It has ended with tool calls, or failed after a sentence, which counts once the end of the user turn is certain. */
  readonly hasEnded: boolean;
  /** Why it failed then. */
  readonly failure: ProviderError | null;
}

/** The failures of one model request until now. */
export interface ModelAttempts {
  /** The first failure; null before it. The retry budget counts from here. */
  readonly failedSinceUs: number | null;
  /** Retry delays until now. */
  readonly delays: number;
  /** Keys of the models that have failed since the last delay. */
  readonly failed: readonly string[];
  /** Keys of the models that rejected the request: they would reject it again. */
  readonly rejected: readonly string[];
}

export const FIRST_ATTEMPT: ModelAttempts = { failedSinceUs: null, delays: 0, failed: [], rejected: [] };

/** The requests that are made before the end of the user turn is certain. */
export interface EagerState {
  /** Words of the last request in this user turn. Equal words are not requested twice. */
  readonly requestedWords: string;
  /** Misses since the last hit. */
  readonly consecutiveMisses: number;
  /** Clauses of this call that the voice was given ahead and that were not heard. */
  readonly discardedClauses: number;
  /** Words of an interim that are watched until they are stable. */
  readonly watchedWords: string;
}

export const INITIAL_GENERATION: GenerationSlice = {
  eager: { requestedWords: '', consecutiveMisses: 0, discardedClauses: 0, watchedWords: '' },
};

import type { ModelRequest, ModelToolCall } from '../../ports/language-model.ts';

/** Topic `generation`: the eager generation. The current generation is part of the reply. */
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

/** Generations that are requested before the user's turn has ended. */
export interface EagerState {
  /** One at a time. */
  readonly running: EagerGeneration | null;
  /** Words of the last request in this user turn. Equal words are not requested twice. */
  readonly requestedWords: string;
  /** Misses since the last hit. */
  readonly consecutiveMisses: number;
}

/**
 * It is used only if the user's turn ends with exactly its words. Until then nothing is spoken, no tool runs, and the
 * history is unchanged.
 */
export interface EagerGeneration {
  readonly number: number;
  readonly request: ModelRequest;
  /** The user's words as requested; `requestedWords` has them normalised. */
  readonly text: string;
  readonly hasFirstToken: boolean;
  /** Sentences that wait until the generation is adopted. */
  readonly sentences: readonly string[];
  readonly done: boolean;
}

export const INITIAL_GENERATION: GenerationSlice = {
  eager: { running: null, requestedWords: '', consecutiveMisses: 0 },
};

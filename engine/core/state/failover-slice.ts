import type { EndReason } from '../../ports/end-reason.ts';

/** Topic `failover`, shared with `current-providers`. */
export interface FailoverSlice {
  readonly failover: FailoverState;
}

/** The current providers, and the failed ones. Index 0 is the agent's first provider; its fallbacks follow. */
export interface FailoverState {
  readonly transcriber: TranscriberState;
  /** When a model failed, by provider and name. The call prefers other models for some time. */
  readonly modelsFailedUs: ReadonlyMap<string, number>;
  readonly failedTurns: FailedTurns | null;
  /** Consecutive turns that no model has answered. */
  readonly consecutiveEmptyResponses: number;
  /** The apology in the agent's language was said, or attempted. */
  readonly apologised: boolean;
  readonly voice: VoiceState;
}

/** Consecutive turns that failed for one reason. */
export interface FailedTurns {
  readonly reason: EndReason;
  readonly count: number;
  /** The reply and the time of the last one. */
  readonly reply: number;
  readonly atUs: number;
}

interface ProviderState {
  readonly index: number;
  /** Retries with the same provider after it failed. */
  readonly retriesUs: readonly number[];
  /** Since when every provider of the kind fails: the retry budget counts from here. */
  readonly failedSinceUs: number | null;
  /** When the provider at an index failed without a retry. The call skips it for some time. */
  readonly failedUs: ReadonlyMap<number, number>;
}

export interface TranscriberState extends ProviderState {
  /** The stream was lost, and the user's speech is not fully known until another stream has caught up. */
  readonly gap: TranscriberGap | null;
  /** Start of speech without a word so far. If this stream fails, the next one gets that speech again. */
  readonly wordlessSinceMs: number | null;
  /** The open stream works with a raised end-of-turn threshold, see `tuneEndOfTurnThreshold`. */
  readonly thresholdRaised: boolean;
  /** Whether its streams send words before their final; null until the call has learnt it. */
  readonly sendsInterims: boolean | null;
}

export interface TranscriberGap {
  /** Position in the user's audio at which the stream was lost. */
  readonly lostMs: number;
  /**
   * `waiting` for the retry, `opening` until the stream is ready, `catchingUp` with the audio that is sent again,
   * `missingWords` while words of the user are still missing.
   */
  readonly phase: 'waiting' | 'opening' | 'catchingUp' | 'missingWords';
  /** Since when the new stream transcribes the audio that was sent again. */
  readonly readyUs?: number;
}

export interface VoiceState extends ProviderState {
  /** Time that the current voice takes for a character; null before its first whole segment. */
  readonly characterMs: number | null;
  /** The segment whose first audio is due. */
  readonly awaitedSegment: number | null;
  /** Retry delays until now. */
  readonly delays: number;
  /** During a retry delay: the voice gets the segments from this number on once the delay is over. */
  readonly waitingFrom: number | null;
}

const PROVIDER_STATE: ProviderState = { index: 0, retriesUs: [], failedSinceUs: null, failedUs: new Map() };

export const NO_FAILURES: FailoverState = {
  transcriber: { ...PROVIDER_STATE, gap: null, wordlessSinceMs: null, thresholdRaised: false, sendsInterims: null },
  modelsFailedUs: new Map(),
  failedTurns: null,
  consecutiveEmptyResponses: 0,
  apologised: false,
  voice: { ...PROVIDER_STATE, characterMs: null, awaitedSegment: null, delays: 0, waitingFrom: null },
};

export const INITIAL_FAILOVER: FailoverSlice = { failover: NO_FAILURES };

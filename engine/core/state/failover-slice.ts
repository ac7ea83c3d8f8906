/** Topic `failover`, shared with `current-providers`. */
export interface FailoverSlice {
  readonly failover: FailoverState;
}

/** The current providers, and the failed ones. Index 0 is the agent's first provider; its fallbacks follow. */
export interface FailoverState {
  readonly transcriber: TranscriberState;
  /** When a model failed without a retry, by provider and name. The call skips it for some time. */
  readonly modelsFailedUs: ReadonlyMap<string, number>;
  /** Consecutive turns that no model has answered. */
  readonly consecutiveEmptyResponses: number;
  /** The apology in the agent's language was said, or attempted. */
  readonly apologised: boolean;
  readonly voice: VoiceState;
}

interface ProviderState {
  readonly index: number;
  /** Retries with the same provider after it failed. */
  readonly retriesUs: readonly number[];
  /** When the provider at an index failed without a retry. The call skips it for some time. */
  readonly failedUs: ReadonlyMap<number, number>;
}

export interface TranscriberState extends ProviderState {
  /** The stream was lost, and the user's speech is not fully known until another stream has caught up. */
  readonly gap: TranscriberGap | null;
  /** Start of speech for which no word arrived: should this stream fail, the next one hears that speech again. */
  readonly wordlessSinceMs: number | null;
  /** The open stream works with a raised end-of-turn threshold, see `tuneEndOfTurnThreshold`. */
  readonly thresholdRaised: boolean;
}

export interface TranscriberGap {
  /** Position in the user's audio at which the stream was lost. */
  readonly lostMs: number;
  /** `waiting` for the retry, `opening` until the stream is ready, `catchingUp` with the audio that is sent again. */
  readonly phase: 'waiting' | 'opening' | 'catchingUp';
}

export interface VoiceState extends ProviderState {
  /** Time that the current voice takes for a character; null before its first whole segment. */
  readonly characterMs: number | null;
  /** The segment whose first audio is due. */
  readonly awaitedSegment: number | null;
}

const PROVIDER_STATE: ProviderState = { index: 0, retriesUs: [], failedUs: new Map() };

export const NO_FAILURES: FailoverState = {
  transcriber: { ...PROVIDER_STATE, gap: null, wordlessSinceMs: null, thresholdRaised: false },
  modelsFailedUs: new Map(),
  consecutiveEmptyResponses: 0,
  apologised: false,
  voice: { ...PROVIDER_STATE, characterMs: null, awaitedSegment: null },
};

export const INITIAL_FAILOVER: FailoverSlice = { failover: NO_FAILURES };

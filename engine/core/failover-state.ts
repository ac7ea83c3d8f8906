/** What a call knows of its providers: which one serves, and which have failed. Place 0 is the agent's own, then its fallbacks. */
export interface FailoverState {
  readonly transcriber: TranscriberState;
  /** When each model was given up, by provider and name. */
  readonly modelsOpenedUs: ReadonlyMap<string, number>;
  /** The turns in a row that no model had an answer for. */
  readonly emptyAnswersInRow: number;
  /** The language's own apology was said, or tried. */
  readonly apologised: boolean;
  readonly voice: VoiceState;
}

interface ProviderState {
  readonly place: number;
  /** Tries with the same provider after it failed. */
  readonly retriesUs: readonly number[];
  /** When the provider at a place was given up. */
  readonly openedUs: ReadonlyMap<number, number>;
}

export interface TranscriberState extends ProviderState {
  /** The stream was lost, and what the caller has said is not known whole until another has caught up. */
  readonly gap: TranscriberGap | null;
  /** Where a sound began of which no word was told: the next stream hears it again, should this one fail on it. */
  readonly wordlessSinceMs: number | null;
  /** The open stream was asked to be surer than usual that a turn has ended: see `tunePatience`. */
  readonly thresholdRaised: boolean;
}

export interface TranscriberGap {
  /** The caller's audio had come so far when the stream was lost. */
  readonly lostMs: number;
  /** `waiting` to dial, `opening` until the stream is ready, `catchingUp` with the audio that is sent again. */
  readonly phase: 'waiting' | 'opening' | 'catchingUp';
}

export interface VoiceState extends ProviderState {
  /** How long the voice in use takes over a character; null before its first whole segment. */
  readonly characterMs: number | null;
  /** The segment whose first audio is being waited for. */
  readonly awaitedSegment: number | null;
}

const PROVIDER_STATE: ProviderState = { place: 0, retriesUs: [], openedUs: new Map() };

export const NO_FAILURES: FailoverState = {
  transcriber: { ...PROVIDER_STATE, gap: null, wordlessSinceMs: null, thresholdRaised: false },
  modelsOpenedUs: new Map(),
  emptyAnswersInRow: 0,
  apologised: false,
  voice: { ...PROVIDER_STATE, characterMs: null, awaitedSegment: null },
};

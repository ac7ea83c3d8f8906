/** Topic `interruption`. */
export interface InterruptionSlice {
  readonly interruption: Interruption | null;
}

/** The user speaks during the agent's turn; playback is paused while this is tentative. */
export interface Interruption {
  /** `rejected`: playback is to resume; `resumed`: it has resumed. */
  readonly status: 'tentative' | 'confirmed' | 'rejected' | 'resumed';
  readonly startedUs: number;
  readonly stoppedUs: number | null;
  /** The number of words of the user turn that came before it and do not count. */
  readonly wordsBefore: number;
  /** Playback position of the reply when playback was paused, in ms. */
  readonly playedMs: number | null;
}

export const INITIAL_INTERRUPTION: InterruptionSlice = { interruption: null };

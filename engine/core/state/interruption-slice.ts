import type { TranscriberEvent } from '../../ports/transcriber.ts';

/** Topic `interruption`. */
export interface InterruptionSlice {
  readonly interruption: Interruption | null;
  /** The echo of the agent on the user's line. */
  readonly echo: EchoPath;
  /** The latest speech of voices in the background, in order. */
  readonly background: readonly ActivityInterval[];
  /**
   * The latest final words that were left out because no voice activity of the user was known. They become the user's if
   * their activity is reported later.
   */
  readonly leftOut: readonly FinalWords[];
}

/** The user speaks during the agent's turn; playback is paused while this is tentative. */
export interface Interruption {
  /** `suspected`: playback goes on, ducked; `rejected`: playback is to resume; `resumed`: it has resumed. */
  readonly status: 'suspected' | 'tentative' | 'confirmed' | 'rejected' | 'resumed';
  readonly startedUs: number;
  readonly stoppedUs: number | null;
  /** Media has reported that the speech went on until then; null: not yet. */
  readonly lastedUntilUs: number | null;
  /** While tentative: latest end of the pause if no word arrives. */
  readonly pausedUntilUs: number | null;
  /** The number of words of the user turn that came before it and do not count. */
  readonly wordsBefore: number;
  /** Playback position of the reply when playback was paused, in ms. */
  readonly playedMs: number | null;
}

/** The echo as the media worker has learnt it. */
export interface EchoPath {
  /** Null while no echo is known. */
  readonly delayMs: number | null;
  /** Since when it is known: from then on, voice activity is the user's own. Null while no echo is known. */
  readonly learntUs: number | null;
  /** The latest voice activity, in order. */
  readonly activity: readonly ActivityInterval[];
}

type EventWithWords<T extends 'final' | 'turn'> = Omit<Extract<TranscriberEvent, { readonly type: T }>, 'type'> & {
  readonly type: `transcriber.${T}`;
};

/** An event of the transcriber whose words will not change; a turn has ended. */
export type FinalWords = EventWithWords<'final'> | EventWithWords<'turn'>;

export interface ActivityInterval {
  readonly fromUs: number;
  /** Null: it goes on. */
  readonly untilUs: number | null;
}

export const INITIAL_INTERRUPTION: InterruptionSlice = {
  interruption: null,
  echo: { delayMs: null, learntUs: null, activity: [] },
  background: [],
  leftOut: [],
};

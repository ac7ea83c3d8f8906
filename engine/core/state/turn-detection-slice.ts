import type { OpenEntry } from './transcript-slice.ts';

/** Topic `turn-detection`. */
export interface TurnDetectionSlice {
  readonly userTurn: UserTurn;
  /** Latencies of the call's latest finals, from the end of speech, in ms. */
  readonly finalLatenciesMs: readonly number[];
}

/** The user's speech since the last committed turn. `…Ms`: position in the user's audio; `…Us`: engine time. */
export interface UserTurn {
  /** Voice activity, as reported by media. */
  readonly speaking: boolean;
  readonly startedUs: number | null;
  /** The last known end of speech. */
  readonly endedUs: number | null;
  readonly finals: readonly string[];
  /** End of the last word of the finals. */
  readonly finalEndedUs: number | null;
  readonly interim: { readonly text: string; readonly endMs: number } | null;
  /** The open turn of a transcriber that detects turns itself; a turn that it has ended is among `finals`. */
  readonly providerTurn: string | null;
  readonly endOfTurn: boolean;
  /** The end of the turn was detected: it is committed as soon as the call's state allows. */
  readonly complete: boolean;
  /** The user has spoken for `max_monologue`: the turn is committed although they continue to speak. */
  readonly overMonologueLimit: boolean;
  /** Words that began before this position belong to a committed turn. */
  readonly committedUntilMs: number;
  /** The number of words since the last final, or of the open provider turn, that belong to a committed turn. */
  readonly committedWords: number;
  /** The transcriber sends no more finals for audio before this position. */
  readonly finalUntilMs: number;
  /** The transcript entry of this turn, once it is written. */
  readonly entry: OpenEntry | null;
}

/** A committed user turn: the metrics of the reply count from here. */
export interface CommittedTurn {
  readonly number: number;
  readonly speechEndedUs: number;
  readonly committedUs: number;
}

export const SILENT_USER: UserTurn = {
  speaking: false,
  startedUs: null,
  endedUs: null,
  finals: [],
  finalEndedUs: null,
  interim: null,
  providerTurn: null,
  endOfTurn: false,
  complete: false,
  overMonologueLimit: false,
  committedUntilMs: 0,
  committedWords: 0,
  finalUntilMs: 0,
  entry: null,
};

export const INITIAL_TURN_DETECTION: TurnDetectionSlice = { userTurn: SILENT_USER, finalLatenciesMs: [] };

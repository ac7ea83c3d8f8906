import { NO_SPEECH, type SpeechTimeline } from './speech-timeline.ts';
import type { OpenEntry } from './transcript-slice.ts';
import type { TurnEnd } from './turn-draft.ts';

/** Topic `turn-detection`. */
export interface TurnDetectionSlice {
  readonly userTurn: UserTurn;
  /** The last user turn that was committed: words that arrive late change it. */
  readonly lastTurn: LastTurn | null;
  /** The turns before it that late words may still change, in order. */
  readonly earlierTurns: readonly LastTurn[];
  /** Turns whose answers are wrong for what the user said, in order: corrected once the current sentence was played. */
  readonly corrections: readonly Correction[];
  /** The language of the user's committed turns, BCP 47: a short turn shows none. null: they spoke the agent's so far. */
  readonly userLanguage: string | null;
  /** Latencies of the call's latest finals, from the end of speech, in ms. */
  readonly finalLatenciesMs: readonly number[];
  /** When the last final of the voice activity that goes on arrived: the activity may have ended before, which is reported late. */
  readonly earlyFinalUs: number | null;
  /** The latest pauses within this user's turns, in ms. */
  readonly ownPausesMs: readonly number[];
  /** The last pause that the acoustic model was asked about; `probability` is null until it answers. */
  readonly acousticEnd: AcousticEnd | null;
}

/** A pause that the acoustic model was asked about. */
interface AcousticEnd {
  /** Of the audio. */
  readonly atMs: number;
  /** Engine time. */
  readonly askedUs: number;
  readonly probability: number | null;
}

/** The user's speech since the last committed turn. `…Us`: engine time. */
export interface UserTurn {
  /** All words of the user that may still change; those after its commit mark are this turn's. */
  readonly speech: SpeechTimeline;
  /** Voice activity, as reported by media. */
  readonly speaking: boolean;
  readonly startedUs: number | null;
  /** The last known end of speech. */
  readonly endedUs: number | null;
  /** Start of the last voice activity. */
  readonly activityStartedUs: number | null;
  /** The last known end of voice activity. */
  readonly activityEndedUs: number | null;
  /** The pause before that activity, until words of it are known: a cough ends no pause. */
  readonly pause: OpenPause | null;
  readonly endOfTurn: boolean;
  /** The language of its words, BCP 47, as the transcriber detected it last; null without a detection. */
  readonly language: string | null;
  /** The end of the turn was detected: it is committed as soon as the call's state allows. */
  readonly complete: boolean;
  /** The last event that completed it. */
  readonly end: TurnEnd | null;
  /** The user has spoken for `max_monologue`: the turn is committed although they continue to speak. */
  readonly overMonologueLimit: boolean;
  /** The transcript entry of this turn, once it is written. */
  readonly entry: OpenEntry | null;
}

/** A silence within a turn. */
export interface OpenPause {
  readonly lengthMs: number;
  readonly untilUs: number;
}

/** A committed user turn: the record of the turn counts from the end of its speech. */
export interface CommittedTurn {
  readonly number: number;
  readonly speechEndedUs: number;
  /** When its end was certain. */
  readonly endedUs: number;
}

/** The places of the words of a committed turn. */
export interface LastTurn {
  readonly entry: OpenEntry;
  readonly endUs: number | null;
  /** Its item in the history; null: it was not answered and has none. */
  readonly item: number | null;
  /** Its words, as they were written. */
  readonly text: string;
}

/** The answer to a committed turn was to words that were misheard. */
export interface Correction {
  /** The turn's item in the history. */
  readonly item: number;
  /** The user's words, as they are known now. */
  readonly words: string;
}

export const SILENT_USER: UserTurn = {
  speech: NO_SPEECH,
  speaking: false,
  startedUs: null,
  endedUs: null,
  activityStartedUs: null,
  activityEndedUs: null,
  pause: null,
  endOfTurn: false,
  language: null,
  complete: false,
  end: null,
  overMonologueLimit: false,
  entry: null,
};

export const INITIAL_TURN_DETECTION: TurnDetectionSlice = {
  userTurn: SILENT_USER,
  lastTurn: null,
  earlierTurns: [],
  corrections: [],
  userLanguage: null,
  finalLatenciesMs: [],
  earlyFinalUs: null,
  ownPausesMs: [],
  acousticEnd: null,
};

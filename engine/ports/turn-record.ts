import type { CompletenessReason } from '../completeness/end-of-turn-pause.ts';

/**
 * What ended a user turn:
 *
 * - `pause`: silence that was long enough for the words
 * - `acoustic_model`: the same, and the acoustic end-of-turn model has changed the silence
 * - `provider`: provider turn detection; `provider_timeout`: it reported no end in time
 * - `monologue_limit`: `max_monologue`; the user speaks on
 * - `dtmf`: the user sent DTMF digits
 * - `call_end`: the call ends or is transferred, whatever else the user says
 * - `other`: the agent had to speak at once, for example after a machine's greeting
 */
export type TurnEndCause =
  | 'pause'
  | 'acoustic_model'
  | 'provider'
  | 'provider_timeout'
  | 'monologue_limit'
  | 'dtmf'
  | 'call_end'
  | 'other';

/**
 * The turn record: a user turn and the agent's answer to it, or a reply of the agent that answers no user turn.
 * The one schema of the tape, the stored call, the API and the metrics. `…Ms`: time since `startUs`, in ms of the audio
 * clock, to a tenth; negative before it; null if the turn has no such stage.
 */
export interface TurnRecord {
  /** From 1 on, rising in the order of the turns. */
  readonly turn: number;
  /** The end of the user's speech; of a reply that answers no user turn, its start. Engine time. */
  readonly startUs: number;
  /** Null: the reply answers no user turn. */
  readonly user: UserTurnRecord | null;
  /** The number of the reply; null: the turn was not answered. */
  readonly utterance: number | null;
  /** Every request to the model for this turn, those that were withdrawn too. */
  readonly askedMs: readonly number[];
  readonly firstTokenMs: number | null;
  /** The voice got the first text of the answer. */
  readonly voiceRequestedMs: number | null;
  /** The voice sent the first audio of that text. */
  readonly firstAudioMs: number | null;
  /** The first packet of the reply left on the wire; it may be that of a filler. */
  readonly heardMs: number | null;
  /** The first packet of the answer itself left on the wire. */
  readonly answerHeardMs: number | null;
  /** The first packets of its fillers left on the wire. */
  readonly fillersMs: readonly number[];
  readonly tools: readonly ToolRecord[];
  /** The user confirmed an interruption of the reply. */
  readonly interrupted: boolean;
  /** Sounds of the user that paused the reply and were no interruption. */
  readonly falseInterruptions: number;
  /** Sounds of the user during the agent's speech, which lowered it. */
  readonly ducked: number;
  /** Words that the transcriber reported during or after the reply, and that were the agent's own. */
  readonly echoWords: number;
}

export interface UserTurnRecord {
  /** The `sequence` of its transcript entry; null: it has no words. */
  readonly sequence: number | null;
  readonly endedBy: TurnEndCause;
  /** Completeness of its words when the rules ended it, 0 to 1; null if they did not. */
  readonly score: number | null;
  /** The decisive one first. */
  readonly reasons: readonly CompletenessReason[];
  /** Its end was certain: the last time, if it was reopened. */
  readonly endedMs: number;
  readonly committedMs: number;
  /** How many times the user went on after the end was certain, before the answer was heard. */
  readonly reopened: number;
  /** How many times late words changed it after its commit. */
  readonly amended: number;
  /** The answer was wrong for the late words: the model was asked again. */
  readonly corrected: boolean;
}

/** A use of a tool in this turn. */
export interface ToolRecord {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedMs: number;
  /** Null: it ran on after the turn. */
  readonly endedMs: number | null;
}

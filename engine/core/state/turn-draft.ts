import type { CompletenessReason } from '../../completeness/end-of-turn-pause.ts';
import type { TurnEndCause } from '../../ports/turn-record.ts';

/** The cause of the end of a user turn, and the completeness of its words. */
export interface TurnEnd {
  readonly by: TurnEndCause;
  readonly score: number | null;
  readonly reasons: readonly CompletenessReason[];
}

/** The record of a turn while it grows; see `TurnRecord`. `…Us`: engine time. */
export interface TurnDraft extends AnswerStages {
  /** 0 until the user turn is committed. */
  readonly number: number;
  /** When the first reply to it began. */
  readonly startedUs: number;
  readonly user: UserDraft | null;
  readonly askedUs: readonly number[];
  readonly fillersUs: readonly number[];
  readonly tools: readonly ToolDraft[];
  readonly interrupted: boolean;
  readonly falseInterruptions: number;
  readonly ducked: number;
  readonly echoWords: number;
}

/** The stages of an answer. A withdrawn answer leaves none. */
export interface AnswerStages {
  readonly utterance: number | null;
  readonly firstTokenUs: number | null;
  readonly voiceRequestedUs: number | null;
  readonly firstAudioUs: number | null;
  readonly heardUs: number | null;
  readonly answerHeardUs: number | null;
}

export interface UserDraft {
  /** `CommittedTurn.number`; null until the commit. */
  readonly turn: number | null;
  readonly sequence: number | null;
  readonly end: TurnEnd | null;
  readonly speechEndedUs: number | null;
  readonly endedUs: number | null;
  readonly committedUs: number | null;
  readonly reopened: number;
  readonly amended: number;
  readonly corrected: boolean;
}

export interface ToolDraft {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedUs: number;
  readonly endedUs: number | null;
}

export const NO_ANSWER: AnswerStages = {
  utterance: null,
  firstTokenUs: null,
  voiceRequestedUs: null,
  firstAudioUs: null,
  heardUs: null,
  answerHeardUs: null,
};

export const OPEN_USER: UserDraft = {
  turn: null,
  sequence: null,
  end: null,
  speechEndedUs: null,
  endedUs: null,
  committedUs: null,
  reopened: 0,
  amended: 0,
  corrected: false,
};

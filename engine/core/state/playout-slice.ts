import type { TransferRequest } from '../../ports/call-control.ts';
import type { EndReason } from '../../ports/end-reason.ts';
import type { ModelRequest } from '../../ports/language-model.ts';
import type { SpokenWord } from '../../ports/voice.ts';
import type { Generation } from './generation-slice.ts';
import type { CommittedTurn, Correction } from './turn-detection-slice.ts';

/** Topic `playout`: the agent's turn and its playback. */
export interface PlayoutSlice {
  readonly reply: Reply | null;
  /** The last dropped reply, until its playback position is known to the sample. */
  readonly lastDroppedReply: Reply | null;
  /** The last played segments of earlier replies: a speakerphone may still return their echo. */
  readonly lastPlayedSegments: readonly Segment[];
  /** The last reply that was played to its end: words that were spoken over it may become known later. */
  readonly lastFinishedReply: FinishedReply | null;
  /** Texts of the API that wait until neither party has the turn. */
  readonly queuedSpeech: readonly QueuedText[];
  /** A transfer that the API requested; it follows that speech. */
  readonly queuedTransfer: QueuedTransfer | null;
  /** No audio of the agent leaves on the wire since this time: the call is on hold, or its media is suspended. */
  readonly haltedSinceUs: number | null;
  /** The causes: `control` for on hold, `media` for suspended media. */
  readonly haltedBy: readonly ('control' | 'media')[];
}

/** The properties of a finished reply that decide whether words over it are answered. */
export interface FinishedReply {
  readonly endedUs: number;
  /** Start of its last segment that was heard; null: there was none. */
  readonly lastStartedUs: number | null;
  /** End of that segment, or the current time; null: there was none. */
  readonly heardUntilUs: number | null;
  /** It was the initial message. */
  readonly isGreeting: boolean;
  /** Its sentences that are questions and were heard. */
  readonly questions: readonly { readonly startedUs: number; readonly endedUs: number }[];
}

/** The text of a say request. */
export interface QueuedText {
  readonly text: string;
  readonly interruptible: boolean;
}

/** The announcement of a transfer is the last text before it. */
export interface QueuedTransfer {
  readonly request: TransferRequest;
  readonly announcement?: string | undefined;
}

/** A text that is never lost: if its reply is dropped before a word of it was heard, it is said afterwards. */
export interface KeptText {
  /** Its history item. */
  readonly item: number;
  readonly text: QueuedText | 'initial_message' | 'announcement';
}

/** The agent's turn in progress. Its number is that of its utterance in the playout. */
export interface Reply {
  readonly number: number;
  /** The user turn that it answers, once that turn is committed. */
  readonly turn: CommittedTurn | null;
  /** The user turn that it answers, until then. */
  readonly pending: PendingTurn | null;
  /** Sentences that wait until the end of the pending turn is certain. */
  readonly withheldSentences: readonly WithheldSentence[];
  readonly interruptible: boolean;
  /** Sounds that paused its speech and turned out to be no interruption. */
  readonly falsePauses: number;
  /** Model requests made for it. */
  readonly modelRequests: number;
  /** The next model request waits for a transition of the agent graph, or for tool results. */
  readonly requestPending: boolean;
  /** Invalid tool calls: the model may correct the first; after the second it must answer in words. */
  readonly invalidCalls: number;
  readonly generation: Generation | null;
  readonly segments: readonly Segment[];
  readonly keptTexts: readonly KeptText[];
  readonly followUp: FollowUp;
  /** The answers that it corrects. */
  readonly corrections: readonly Correction[];
  /** Numbers of the segments that are fillers. */
  readonly fillerSegments: readonly number[];
}

export interface WithheldSentence {
  readonly item: number;
  readonly text: string;
  /** It was sent to the voice early; playback is paused. */
  readonly isVoiced: boolean;
}

/**
 * A user turn that has probably ended: the model is asked, nothing of the answer was heard, and no tool runs. Its words
 * are the open user turn; more words withdraw the reply.
 */
export interface PendingTurn {
  /**
   * `ahead`: asked before the end of the turn was certain. `ended`: the answer may be heard. `withheld`: the user made a sound
   * after that end.
   */
  readonly phase: 'ahead' | 'ended' | 'withheld';
  /** The words that the model was asked with. */
  readonly text: string;
  /** The id of its history item. */
  readonly item: number;
  /** The request that was made with these words. */
  readonly request: ModelRequest | null;
  /** When its end was certain; null before. */
  readonly endedUs: number | null;
  /** A response was pending when the model was asked. */
  readonly wasResponsePending: boolean;
}

/** The action after the reply was played to its end. */
export type FollowUp =
  | { readonly type: 'listen' }
  /** `result`: that of the tool call that requested the end. It is rewritten if the reply is dropped before its end. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly result: ToolResultEntry }
  | {
      readonly type: 'transfer';
      readonly toolCallId: string;
      readonly name: string;
      readonly request: TransferRequest;
      /** The request was passed to call control. */
      readonly started?: boolean;
    }
  /** Requested through the API. */
  | (QueuedTransfer & { readonly type: 'requested_transfer'; readonly started?: boolean })
  /** A failure ends the conversation: the user is transferred according to `on_provider_failure`. */
  | { readonly type: 'failure_transfer'; readonly request: TransferRequest; readonly started?: boolean };

/** A follow-up that transfers the user. */
export type TransferFollowUp = Extract<
  FollowUp,
  { readonly type: 'transfer' | 'requested_transfer' | 'failure_transfer' }
>;

/** A tool result with its place in the transcript. */
export interface ToolResultEntry {
  readonly call: { readonly id: string; readonly name: string };
  readonly sequence: number;
  readonly startUs: number;
}

/** One piece of text for the voice. */
export interface Segment {
  readonly number: number;
  /** The history item that its text belongs to. */
  readonly item: number;
  readonly text: string;
  /** False: the text is played to its end. Set by the state, the filler, the announcement or the say request. */
  readonly interruptible: boolean;
  readonly requestedUs: number;
  readonly voiceStartedUs: number | null;
  readonly durationMs: number | null;
  readonly words: readonly SpokenWord[];
  /** Null until its first sample leaves on the wire. */
  readonly playout: SegmentPlayout | null;
  readonly ended: boolean;
}

export interface SegmentPlayout {
  /** When its first sample left, shifted as if it had played without a pause since then. */
  readonly startedUs: number;
  /** Playback position of the reply at the start of the segment, in ms. */
  readonly startMs: number;
  /** When its last sample had left. */
  readonly endedUs?: number;
  /** The latest pauses. Audio that was played before `untilUs` left `durationUs` earlier than `startedUs` implies. */
  readonly pauses?: readonly PlayoutPause[];
}

export interface PlayoutPause {
  readonly untilUs: number;
  readonly durationUs: number;
}

export const INITIAL_PLAYOUT: PlayoutSlice = {
  reply: null,
  lastDroppedReply: null,
  lastPlayedSegments: [],
  lastFinishedReply: null,
  queuedSpeech: [],
  queuedTransfer: null,
  haltedSinceUs: null,
  haltedBy: [],
};

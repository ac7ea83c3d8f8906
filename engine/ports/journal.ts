import type { JsonValue } from '../agent/json-value.ts';
import type { AnswerType } from './answer-type.ts';
import type { EndReason } from './end-reason.ts';
import type { TurnRecord } from './turn-record.ts';

/** Stands in the place of a text or value of a pause, or of a call whose recording was refused. */
export const NOT_RECORDED = '[not recorded]';

/**
 * The stored data of a call, entry by entry. Times are engine time in µs (see `Clock`); the writer converts them to
 * dates. A transcript entry replaces the earlier entry with its `sequence`: a reply grows, and an interruption truncates
 * it.
 */
export type JournalEntry =
  | { readonly type: 'transcript'; readonly entry: TranscriptEntry }
  | {
      readonly type: 'variable';
      readonly name: string;
      readonly variableType: string;
      readonly value: JsonValue;
      /** Known before the conversation begins: stored without an event. */
      readonly initial?: true;
      readonly atUs: number;
    }
  /** Written once: every declared variable has a value. */
  | { readonly type: 'variables_resolved'; readonly atUs: number }
  | { readonly type: 'state'; readonly from: string | null; readonly to: string; readonly atUs: number }
  | {
      readonly type: 'tool_called';
      readonly toolCallId: string;
      readonly name: string;
      readonly successful: boolean;
      readonly atUs: number;
    }
  | TransferEntry
  /** On outbound calls. A later entry replaces an earlier one. */
  | { readonly type: 'answer_type'; readonly answerType: AnswerType; readonly atUs: number }
  /** What the user has said to the announcement of the recording. `refused` may follow `given`. */
  | ConsentEntry
  /** Written once the answer is heard, and again, with `isClosed`, when the next turn begins or the call ends. */
  | { readonly type: 'turn'; readonly record: TurnRecord; readonly isClosed: boolean }
  | {
      readonly type: 'ended';
      readonly reason: EndReason;
      /** The provider failure that ended the call. Contains no secret and no phone number. */
      readonly detail?: string;
      readonly metrics: CallMetrics;
      readonly atUs: number;
    };

/** After a refused REFER a second `started` with mode `bridge` may follow. Each transfer has one `completed` or `failed`. */
export interface TransferEntry {
  readonly type: 'transfer';
  readonly phase: 'started' | 'completed' | 'failed';
  readonly destination: string;
  readonly mode: 'refer' | 'bridge';
  /** Set if the transfer failed. */
  readonly reason?: string;
  readonly atUs: number;
}

export interface ConsentEntry {
  readonly type: 'consent';
  /** `refused`: what was recorded so far is deleted, and nothing more is recorded. `not_asked`: a machine had answered before. */
  readonly consent: 'given' | 'refused' | 'not_asked';
  /** After a recording refusal; false: the transcript is deleted, too, and no more of it is kept. */
  readonly keepsTranscript?: boolean;
  readonly atUs: number;
}

interface TranscriptBase {
  /** Rises by one with each entry. The transcript is ordered by `startUs`, then by `sequence`. */
  readonly sequence: number;
  readonly startUs: number;
  readonly endUs: number | null;
  readonly content: string;
}

/** The user's words between two pauses of half a second or more. */
export interface TranscriptPart {
  readonly startUs: number;
  readonly endUs: number;
  readonly content: string;
}

/**
 * A piece of an entry and when it was heard: a word of the user, or a stretch whose words have no times, at its position in the user's
 * audio; a segment of the agent in engine time. In ms.
 */
export interface SpokenPiece {
  readonly startMs: number;
  readonly endMs: number;
  readonly content: string;
}

export type TranscriptEntry =
  | (TranscriptBase & {
      readonly role: 'user';
      /** In the order of the speech, if there are two or more. */
      readonly parts?: readonly TranscriptPart[];
      /** With `redaction.audio`; it is not stored. */
      readonly spoken?: readonly SpokenPiece[];
    })
  | (TranscriptBase & {
      readonly role: 'agent';
      readonly interrupted: boolean;
      /** The text of the model, if it differs from the text that was played. */
      readonly generatedContent?: string;
      /** With `redaction.audio`; it is not stored. */
      readonly spoken?: readonly SpokenPiece[];
    })
  | (TranscriptBase & {
      readonly role: 'tool_call';
      readonly toolCallId: string;
      readonly name: string;
      readonly toolType: string;
      readonly arguments: { readonly [key: string]: JsonValue };
    })
  | (TranscriptBase & {
      readonly role: 'tool_response';
      readonly toolCallId: string;
      readonly name: string;
      readonly successful: boolean;
      readonly httpStatus?: number;
    })
  | (TranscriptBase & {
      readonly role: 'state_transition';
      readonly from: string;
      readonly to: string;
      readonly condition: string;
    })
  | (TranscriptBase & { readonly role: 'dtmf' })
  /**
   * Nothing of the call is kept between its start and its end; without an end it lasts. Written before everything else of the pause.
   * `content` is empty.
   */
  | (TranscriptBase & { readonly role: 'recording_pause'; readonly requestedBy: PauseRequester });

/** What began a pause of the recording. */
export const PAUSE_REQUESTERS = ['api', 'state', 'tool'] as const;
export type PauseRequester = (typeof PAUSE_REQUESTERS)[number];

export interface CallMetrics {
  readonly turns: number;
  readonly interruptions: number;
  readonly falseInterruptions: number;
  /** Sums of the fields of that name in the records of the turns. */
  readonly ducked: number;
  readonly echoWords: number;
  readonly reopened: number;
  readonly amended: number;
  /** Eager generations that were used. */
  readonly eagerHits: number;
  /** Eager generations that were dropped. Their reported tokens are counted. */
  readonly eagerMisses: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly voiceCharacters: number;
  readonly transcribedMs: number;
  readonly endpointingMs: Percentiles;
  readonly llmFirstTokenMs: Percentiles;
  readonly voiceFirstAudioMs: Percentiles;
  readonly engineMs: Percentiles;
  readonly responseMs: Percentiles;
}

/** Percentiles by nearest rank over the answered user turns that have the metric; null without any. */
export interface Percentiles {
  readonly median: number | null;
  readonly p95: number | null;
}

/** Accepts entries immediately and writes them later, within a stated bound. Never throws and never blocks. */
export interface Journal {
  write(entry: JournalEntry): void;
}

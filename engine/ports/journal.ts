import type { JsonValue } from '../agent/json-value.ts';
import type { AnswerType } from './answer-type.ts';
import type { EndReason } from './end-reason.ts';

/**
 * What is kept of a call, as it happens. Times are engine time in µs (see `Clock`); the writer turns them into dates.
 * An entry with a `sequence` that was written before replaces that one (an interrupted line is cut, a reply grows).
 */
export type JournalEntry =
  | { readonly type: 'transcript'; readonly entry: TranscriptEntry }
  | {
      readonly type: 'variable';
      readonly name: string;
      readonly variableType: string;
      readonly value: JsonValue;
      /** Known before the first word: kept, and no event. */
      readonly initial?: true;
      readonly atUs: number;
    }
  /** Told once: every declared variable has a value. */
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
  /** Of calls that we placed; a later one takes the place of an earlier one. */
  | { readonly type: 'answer_type'; readonly answerType: AnswerType; readonly atUs: number }
  | { readonly type: 'turn_metrics'; readonly metrics: TurnMetrics }
  | {
      readonly type: 'ended';
      readonly reason: EndReason;
      /** Which provider failed, and how, if that ended the call. It holds no secret and no phone number. */
      readonly detail?: string;
      readonly metrics: CallMetrics;
      readonly atUs: number;
    };

/** A refused REFER that falls back to a bridge is started again, in that mode; each transfer has one end. */
export interface TransferEntry {
  readonly type: 'transfer';
  readonly phase: 'started' | 'completed' | 'failed';
  readonly destination: string;
  readonly mode: 'refer' | 'bridge';
  /** Of a failure. */
  readonly reason?: string;
  readonly atUs: number;
}

interface TranscriptBase {
  /** Rises by one an entry; the transcript is ordered by `startUs`, then `sequence`. */
  readonly sequence: number;
  readonly startUs: number;
  readonly endUs: number | null;
  readonly content: string;
}

export type TranscriptEntry =
  | (TranscriptBase & { readonly role: 'user' })
  | (TranscriptBase & {
      readonly role: 'agent';
      readonly interrupted: boolean;
      /** What the model wrote, where it differs from what was heard. */
      readonly generatedContent?: string;
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
  | (TranscriptBase & { readonly role: 'dtmf' });

/** Metrics of one reply, in ms of the audio clock, never below 0; null where the reply has no such part. */
export interface TurnMetrics {
  /** The number of the reply. A reply that was dropped before it was played has no metrics. */
  readonly turn: number;
  /** End of the user's speech → the turn was committed. */
  readonly endpointingMs: number | null;
  /** From the moment at which the turn was committed; 0 where eager generation had it already. */
  readonly llmFirstTokenMs: number | null;
  readonly voiceFirstAudioMs: number | null;
  /** What the engine itself adds: the turn taken → the request made, and the first audio there → on the wire. */
  readonly engineMs: number | null;
  /** End of the user's speech → first agent audio on the wire. */
  readonly responseMs: number | null;
}

export interface CallMetrics {
  readonly turns: number;
  readonly interruptions: number;
  readonly falseInterruptions: number;
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

/** Over the replies that answer a user turn and have the metric, by nearest rank; null without any. */
export interface Percentiles {
  readonly median: number | null;
  readonly p95: number | null;
}

/** Takes entries at once and writes behind, within a stated bound; it never throws and never waits. */
export interface Journal {
  write(entry: JournalEntry): void;
}

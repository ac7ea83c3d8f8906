import type { JsonValue } from '../agent/json-value.ts';
import type { CallControlEvent, TransferRequest } from '../ports/call-control.ts';
import type { KnowledgeResult } from '../ports/knowledge.ts';
import type { ModelToolCall, ModelUsage } from '../ports/language-model.ts';
import type { MediaEvent } from '../ports/media.ts';
import type { ProviderError } from '../ports/provider-error.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import type { TranscriberEvent } from '../ports/transcriber.ts';
import type { SpokenWord } from '../ports/voice.ts';
import type { CallCommand } from './command.ts';
import type { TimerName } from './timer.ts';

/**
 * Everything that can happen to a call: the content of the inbox. Plain data, safe for structured clone and JSON. A call
 * is a function of its agent, its parameters and its events.
 *
 * Port events carry the name of their port before the type: `media.speech_started`, `transcriber.final`.
 */
export type CallEvent =
  /** The leg exists and its media is open: an INVITE has arrived, or ours is about to be sent. Always the first event. */
  | { readonly type: 'call.offered' }
  /** Requested by the API or by the service. */
  | { readonly type: 'call.terminate'; readonly reason: 'terminated' | 'canceled' | 'shutdown' | 'node_lost' }
  /**
   * A say request of the API. With `interrupt` it interrupts the agent's speech, even if users may not interrupt it.
   * Without `interrupt`, and after an uninterruptible reply (an apology, the reply to a monologue), it waits for the end
   * of that reply. It never interrupts the user.
   */
  | {
      readonly type: 'call.say';
      readonly text: string;
      readonly interrupt: boolean;
      /** false: the text is heard to its end. */
      readonly interruptible?: boolean | undefined;
    }
  /**
   * A transfer request of the API. It interrupts the agent as a say request does. With an announcement, which is heard to its end,
   * it begins once neither party has the turn.
   */
  | { readonly type: 'call.transfer'; readonly request: TransferRequest; readonly announcement?: string | undefined }
  | { readonly type: 'call.context'; readonly content: string }
  /** From here on nothing of the call is kept. No effect if a pause was requested before. */
  | { readonly type: 'call.pause_recording' }
  /** Ends the pause that the API or a tool has requested. A state that pauses still does. */
  | { readonly type: 'call.resume_recording' }
  | Prefixed<'control', CallControlEvent>
  | Prefixed<'media', MediaEvent>
  | Prefixed<'transcriber', TranscriberEvent>
  /** The time of the first token. Tokens themselves never pass through the machine. */
  | { readonly type: 'model.first_token'; readonly generation: number }
  /** A sentence, or a clause of a long sentence, ready for the voice; trimmed. */
  | { readonly type: 'model.sentence'; readonly generation: number; readonly text: string }
  | { readonly type: 'model.tool_call'; readonly generation: number; readonly call: ModelToolCall }
  | {
      readonly type: 'model.done';
      readonly generation: number;
      readonly finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
      readonly usage?: ModelUsage;
    }
  | { readonly type: 'model.failed'; readonly generation: number; readonly error: ProviderError }
  | {
      readonly type: 'extraction.done';
      readonly extraction: number;
      readonly answer: JsonValue;
      readonly usage?: ModelUsage;
    }
  | { readonly type: 'extraction.failed'; readonly extraction: number; readonly error: ProviderError }
  | {
      readonly type: 'summary.done';
      readonly summary: number;
      readonly answer: JsonValue;
      readonly usage?: ModelUsage;
    }
  | { readonly type: 'summary.failed'; readonly summary: number; readonly error: ProviderError }
  /** The voice has sent the first audio of a segment. */
  | { readonly type: 'voice.started'; readonly segment: number }
  | { readonly type: 'voice.words'; readonly segment: number; readonly words: readonly SpokenWord[] }
  /** The whole segment is synthesised; its audio lasts `durationMs`. */
  | { readonly type: 'voice.done'; readonly segment: number; readonly durationMs: number }
  | {
      readonly type: 'voice.failed';
      readonly segment: number;
      readonly durationMs: number;
      readonly error: ProviderError;
    }
  /** The acoustic model's probability that the turn was complete at this pause; `atMs` as in its command. */
  | { readonly type: 'end_of_turn.judged'; readonly atMs: number; readonly probability: number }
  | { readonly type: 'knowledge.result'; readonly toolCallId: string; readonly result: KnowledgeResult }
  | { readonly type: 'tool.result'; readonly toolCallId: string; readonly result: ToolResult }
  | { readonly type: 'timer'; readonly timer: TimerName };

/** The transcriber's events with words. */
export type WordsEvent = Extract<
  CallEvent,
  { readonly type: 'transcriber.interim' | 'transcriber.final' | 'transcriber.turn' }
>;

/** Requests that the API may send to a live call. */
export type LiveRequest = Extract<
  CallEvent,
  {
    readonly type: 'call.say' | 'call.transfer' | 'call.context' | 'call.pause_recording' | 'call.resume_recording';
  }
>;

type Prefixed<P extends string, E extends { readonly type: string }> = E extends {
  readonly type: infer T extends string;
}
  ? { readonly type: `${P}.${T}` } & Omit<E, 'type'>
  : never;

/** An event with its position in the call: the unit of the tape and of a replay. */
export interface InboxEntry {
  /** From 0, without gaps. */
  readonly seq: number;
  /** Engine time in µs, monotonic, read once for each event. */
  readonly atUs: number;
  /** User audio received before the event, in ms; absent before the first packet. */
  readonly audioMs?: number;
  readonly event: CallEvent;
}

/** An inbox entry with the commands that it caused, in order. */
export interface InboxRecord extends InboxEntry {
  readonly commands: readonly CallCommand[];
}

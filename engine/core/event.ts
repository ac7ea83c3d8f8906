import type { JsonValue } from '../agent/json-value.ts';
import type { CallControlEvent } from '../ports/call-control.ts';
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
 * Everything that can happen to a call, in the order in which it happened: the inbox. It is plain data (it can be
 * structured-cloned and written as JSON), and a call is a function of its agent, its parameters and these.
 *
 * Port events travel with their port's name before the type: `media.speech_started`, `transcriber.final`.
 */
export type CallEvent =
  /** The leg exists and its media is open: an INVITE came in, or ours is about to go out. Always the first event. */
  | { readonly type: 'call.offered' }
  /** Ordered by the API or by the service. */
  | { readonly type: 'call.terminate'; readonly reason: 'terminated' | 'canceled' | 'shutdown' | 'node_lost' }
  /**
   * A text of the API's. `interrupt`: it cuts short what the agent is saying, also where users may not. A message that
   * nothing is to interrupt (an uninterruptible one, an apology, the answer to a monologue) is said to its end before it,
   * and so is everything without `interrupt`. It never cuts the user short.
   */
  | { readonly type: 'call.say'; readonly text: string; readonly interrupt: boolean }
  | { readonly type: 'call.context'; readonly content: string }
  | Prefixed<'control', CallControlEvent>
  | Prefixed<'media', MediaEvent>
  | Prefixed<'transcriber', TranscriberEvent>
  /** Only the moment: tokens themselves never pass through the machine. */
  | { readonly type: 'model.first_token'; readonly generation: number }
  /** A sentence, or a clause where that is long, ready to be spoken; white space at its ends is gone. */
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
  /** The first audio of a segment came from the voice. */
  | { readonly type: 'voice.started'; readonly segment: number }
  | { readonly type: 'voice.words'; readonly segment: number; readonly words: readonly SpokenWord[] }
  /** The whole segment was synthesised; it plays `durationMs`. */
  | { readonly type: 'voice.done'; readonly segment: number; readonly durationMs: number }
  | {
      readonly type: 'voice.failed';
      readonly segment: number;
      readonly durationMs: number;
      readonly error: ProviderError;
    }
  | { readonly type: 'knowledge.result'; readonly toolCallId: string; readonly result: KnowledgeResult }
  | { readonly type: 'tool.result'; readonly toolCallId: string; readonly result: ToolResult }
  | { readonly type: 'timer'; readonly timer: TimerName };

/** What may be ordered of an agent on the line. */
export type LiveRequest = Extract<CallEvent, { readonly type: 'call.say' | 'call.context' }>;

type Prefixed<P extends string, E extends { readonly type: string }> = E extends {
  readonly type: infer T extends string;
}
  ? { readonly type: `${P}.${T}` } & Omit<E, 'type'>
  : never;

/** An event with its place in the call's order: what the tape holds and replay feeds. */
export interface InboxEntry {
  /** From 0, without gaps. */
  readonly seq: number;
  /** Engine time in µs, monotonic, read once for the event. */
  readonly atUs: number;
  /** User audio received before the event, in ms; absent before the first packet. */
  readonly audioMs?: number;
  readonly event: CallEvent;
}

/** An entry of the inbox with the commands of the rules that answered it, in order. */
export interface InboxRecord extends InboxEntry {
  readonly commands: readonly CallCommand[];
}

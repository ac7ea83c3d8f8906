import type { CallProviderKind } from '../core/notice.ts';
import type { TimerName } from '../core/timer.ts';
import type { ModelUsage } from '../ports/language-model.ts';

/** How a request to a provider ended. `cancelled`: the rules no longer wanted the answer. */
export type SpanOutcome = 'answered' | 'failed' | 'cancelled';

/** Network quality of one direction in an interval. */
export interface NetworkSample {
  readonly packets: number;
  /** Null without a report of the receiver. */
  readonly lost: number | null;
  /** Mean interarrival jitter (RFC 3550), in ms. */
  readonly jitterMs: number | null;
  /** Estimated mean opinion score (ITU-T G.107), 1 to 4.5. */
  readonly mos: number | null;
}

/**
 * An interval of a call that its transcript and its turn records do not hold: what sounded, and what the call waited for.
 * Plain data. Times are engine time in µs.
 */
export type CallSpan = { readonly fromUs: number; readonly toUs: number } & (
  | { readonly type: 'answered' }
  /** The user hears the agent. */
  | { readonly type: 'agent_speech' }
  /** Voice activity of the user, with or without words. */
  | { readonly type: 'voice_activity' }
  /** From the end of speech to its words. */
  | { readonly type: 'transcription' }
  /** A request to the model and its response. */
  | {
      readonly type: 'model';
      readonly outcome: SpanOutcome;
      readonly firstTokenUs: number | null;
      /** Its first text for the voice, or its first tool call. */
      readonly firstTextUs: number | null;
      /** Null unless it failed. */
      readonly error: string | null;
      /** Absent in spans of older versions, as `model`. */
      readonly provider?: string;
      readonly model?: string;
      /** Tokens; absent if the provider does not report them. */
      readonly usage?: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>;
    }
  /** From a text for the voice to its first audio. */
  | {
      readonly type: 'voice';
      readonly outcome: SpanOutcome;
      readonly error: string | null;
      /** Absent in spans of older versions. */
      readonly provider?: string;
    }
  | { readonly type: 'tool'; readonly name: string; readonly successful: boolean }
  /** The transcriber has failed, or reported no word of the user's speech: until the next words. */
  | { readonly type: 'transcriber_failure'; readonly error: string }
  /** A provider has failed; `next`: the provider that follows it, null: it is asked again, or was the last one. */
  | {
      readonly type: 'provider_failure';
      readonly kind: CallProviderKind;
      readonly provider: string;
      readonly next: string | null;
      readonly error: string;
    }
  /** The user's speech has paused the agent. */
  | { readonly type: 'playback_pause'; readonly isInterruption: boolean }
  /** From a DTMF digit to the end of the wait for another one. */
  | { readonly type: 'dtmf_entry' }
  /** The agent waits for the rest of a machine's greeting or menu, or for the person that a call screening connects. */
  | { readonly type: 'machine_wait' }
  | { readonly type: 'on_hold' }
  /** The media plane sends nothing. */
  | { readonly type: 'media_suspended' }
  | { readonly type: 'transfer'; readonly successful: boolean }
  /** From the time at which a timer was due to the time at which it was handled: the process was busy. */
  | { readonly type: 'late_timer'; readonly timer: TimerName }
  /** `inbound`: from the user to us. A tape holds none. */
  | {
      readonly type: 'network';
      readonly inbound: NetworkSample;
      readonly outbound: NetworkSample;
      /** From the reports of the peer; null without one. */
      readonly roundTripMs: number | null;
    }
);

/** Spans that have ended, to be stored with the call. */
export interface SpansEntry {
  readonly type: 'spans';
  /** From 1, rising by one. A part that is stored again replaces the earlier one. */
  readonly part: number;
  readonly spans: readonly CallSpan[];
}

export type SpanType = CallSpan['type'];
export type SpanOf<T extends SpanType> = Extract<CallSpan, { readonly type: T }>;

/** A span on another time axis, whose origin lies `us` before. */
export function laterBy(span: CallSpan, us: number): CallSpan {
  const moved = { fromUs: span.fromUs + us, toUs: span.toUs + us };
  if (span.type !== 'model') return { ...span, ...moved };
  const { firstTextUs, firstTokenUs } = span;
  const later = (atUs: number | null) => (atUs === null ? null : atUs + us);
  return { ...span, ...moved, firstTokenUs: later(firstTokenUs), firstTextUs: later(firstTextUs) };
}

import type { CompletenessReason } from '../completeness/end-of-turn-pause.ts';

/**
 * Why nothing was heard for a while, with the evidence in numbers. `…Ms`: the whole duration of what was waited for, which
 * may have begun before the silence.
 */
export type SilenceCause =
  /** The words of the user came late. */
  | { readonly type: 'transcriber_late'; readonly lateMs: number }
  /** The words lasted longer than the voice: the end of the speech was found only after it. */
  | { readonly type: 'speech_end_late'; readonly lateMs: number }
  | { readonly type: 'transcriber_failed'; readonly error: string }
  /** A sound or speech of the user, of which the transcriber reported no word. */
  | { readonly type: 'no_words'; readonly speechMs: number }
  /** The words of the user seemed to go on. */
  | OpenWords<'open_words'>
  | OpenWords<'dictation'>
  /** More DTMF digits could have followed. */
  | { readonly type: 'dtmf_entry' }
  /** The transcriber decides the end of the turn. */
  | { readonly type: 'provider_turn_end'; readonly waitedMs: number; readonly isTimeout: boolean }
  | {
      readonly type: 'model_slow';
      /** Null: there was none. */
      readonly firstTokenMs: number | null;
      /** From the request to the first text for the voice or the tool call. Null: there was none. */
      readonly firstTextMs: number | null;
      /** Requests that the silence waited for, one after the other; the times are those of the slowest. */
      readonly requests: number;
      /** A filler was heard before the first text. */
      readonly hasFiller: boolean;
    }
  | Failure<'model_failed'>
  | { readonly type: 'voice_slow'; readonly firstAudioMs: number }
  | Failure<'voice_failed'>
  /** `hasFiller`: the agent was heard while it ran. */
  | { readonly type: 'tool'; readonly name: string; readonly ranMs: number; readonly hasFiller: boolean }
  | { readonly type: 'packet_loss'; readonly lostShare: number }
  /** The user said nothing, and the agent had nothing to say. */
  | { readonly type: 'user_silent' }
  /** The agent was paused, and the user had interrupted it. */
  | { readonly type: 'interruption'; readonly pausedMs: number }
  /** The agent was paused by a sound that was no interruption. */
  | { readonly type: 'false_interruption'; readonly pausedMs: number }
  | { readonly type: 'on_hold' }
  | { readonly type: 'transfer'; readonly successful: boolean }
  /** The media worker was restarting. */
  | { readonly type: 'media_suspended' }
  /** The process was too busy to act in time. */
  | { readonly type: 'overload'; readonly lateMs: number }
  /** The agent waits for the user to speak first, or for the end of a greeting or a menu. */
  | { readonly type: 'agent_waits' }
  | { readonly type: 'unknown' };

interface OpenWords<T extends string> {
  readonly type: T;
  readonly waitedMs: number;
  /** Completeness of the words, 0 to 1. */
  readonly score: number;
  /** The decisive one first. */
  readonly reasons: readonly CompletenessReason[];
}

interface Failure<T extends string> {
  readonly type: T;
  readonly failures: number;
  readonly error: string;
  /** The provider that followed the failed one. */
  readonly next: string | null;
  /** A request followed in the same turn. False: the last provider had failed, or the call ended before. */
  readonly askedAgain: boolean;
}

export type SilenceCauseType = SilenceCause['type'];

/** A cause with its part of the silence. */
export interface SilencePart {
  readonly cause: SilenceCause;
  readonly ms: number;
  /** Share of the silence, 0 to 1. */
  readonly share: number;
}

/** More than a second in which the user waited and heard nothing. Times are engine time in µs. */
export interface Silence {
  readonly fromUs: number;
  readonly toUs: number;
  /** The speech that ended before it. */
  readonly after: 'start' | 'user' | 'agent';
  /** The event that ended it. `user`: the user spoke again and had not been answered. */
  readonly before: 'agent' | 'user' | 'end';
  /** The largest first; never empty. */
  readonly parts: readonly SilencePart[];
}

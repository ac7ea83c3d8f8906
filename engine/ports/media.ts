import type { AudioFormat } from '../../base/audio/audio-format.ts';

/**
 * The audio of one call. Playout is a queue of segments; each segment belongs to an utterance: the audio of one reply. Utterance
 * numbers rise. After `clear(u)` no audio of an utterance ≤ u reaches the wire, including audio in transit.
 * Every method returns immediately; outcomes follow as events.
 */
export interface Media {
  /** Format of `onAudio`, and of `play` without conversion. Constant for the whole call. */
  readonly format: AudioFormat;
  /**
   * Appends audio to the queue. False: the queue is full and nothing was added; call again after `onDrained`. `audio` is
   * copied before the method returns. Duckable audio is lowered while the user speaks, from the first 60 ms of voice
   * activity until 0.2 s after its end.
   */
  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array, isDuckable?: boolean): boolean;
  /** The segment has no more audio: `segment_ended` follows when its last sample has left on the wire. */
  endSegment(utterance: number, segment: number): void;
  /** Effective before the next packet. `cleared` follows. */
  clear(utterance: number): void;
  /** Effective before the next packet. `paused` follows. The queue is kept. */
  pause(): void;
  /**
   * Continues at the last energy minimum, at most 400 ms before the last played sample. `resumed` follows if audio is
   * played again.
   */
  resume(): void;
  /**
   * Sends RFC 4733 events one after another: 100 ms each, then a gap of 100 ms. Characters: 0-9 * # A-D, and the pauses
   * `w` (half a second) and `,` (two seconds). Queued audio waits until the end.
   */
  sendDtmf(digits: string): void;
  /** Switches `tone` events. Off at first: tone detection costs as much as the rest of a frame's processing. */
  listenForTones(on: boolean): void;
  /** The user's audio in packet order, from the first packet on. At most 5 s are buffered until the first listener. */
  onAudio(listener: (format: AudioFormat, audio: Uint8Array) => void): void;
  /** Called when the queue has room again after `play` returned false. */
  onDrained(listener: () => void): void;
  onEvent(listener: (event: MediaEvent) => void): void;
  /** Ends the stream, the recording and the port. Idempotent; no event follows. */
  close(): void;
}

/** How long speech must last to pause playback, by `interruptions_sensitivity`, in ms. */
export const SPEECH_LASTED_MS = [200, 500, 800] as const;
export type LastedMs = (typeof SPEECH_LASTED_MS)[number];

/** `speech_stopped` is reported this long after the end of the speech: a shorter silence does not end it. In ms. */
export const SPEECH_STOP_LATENESS_MS = 200;

/** `audioMs` counts the user's audio since the first packet of the call; `playedMs` the agent's, of one utterance. */
export type MediaEvent =
  /** Local voice activity. Echo of the agent does not count once `echo_learnt` has reported it. */
  | { readonly type: 'speech_started'; readonly audioMs: number }
  | { readonly type: 'speech_stopped'; readonly audioMs: number }
  /**
   * Speech that began at `audioMs` and is certainly the user's own has lasted this long. Each value once in one activity,
   * after its `speech_started`.
   */
  | { readonly type: 'speech_lasted'; readonly audioMs: number; readonly lastedMs: LastedMs }
  /**
   * A voice far softer than this user's own: a television or a second person beside the phone. It is no `speech_started`.
   * Reported once the user's level is known. The background also stops at the moment at which the user starts.
   * It stops where it started if it turns out to be a soft answer of the user; their speech then starts there.
   */
  | { readonly type: 'background_speech_started'; readonly audioMs: number }
  | { readonly type: 'background_speech_stopped'; readonly audioMs: number }
  /**
   * The user's line returns what the agent says after this delay; null: it no longer does. Reported again when the delay
   * changes. Without this event no echo is known.
   */
  | { readonly type: 'echo_learnt'; readonly delayMs: number | null }
  /** The first sample of a segment has left on the wire. `playedMs`: playback position of the utterance before it. */
  | {
      readonly type: 'segment_started';
      readonly utterance: number;
      readonly segment: number;
      readonly playedMs: number;
    }
  | { readonly type: 'segment_ended'; readonly utterance: number; readonly segment: number; readonly playedMs: number }
  /** The result of `clear`: the playback position of the utterance, exact to the sample. */
  | { readonly type: 'cleared'; readonly utterance: number; readonly playedMs: number }
  | { readonly type: 'paused'; readonly utterance: number; readonly playedMs: number }
  /** The last `replayedMs` before the pause are played again. They do not count for `playedMs` a second time. */
  | { readonly type: 'resumed'; readonly utterance: number; readonly replayedMs: number }
  | { readonly type: 'dtmf'; readonly digit: string; readonly durationMs: number }
  /** The user of a web call has typed instead of spoken; not empty. */
  | { readonly type: 'typed_text'; readonly text: string }
  /**
   * A tone of a machine has ended, and no other tone follows it: the beep after a greeting, or the special information
   * tones (`sit`) before a network announcement. Emitted 0.2–0.7 s after `endMs`.
   */
  | {
      readonly type: 'tone';
      readonly kind: 'beep' | 'sit';
      readonly frequencyHz: number;
      /** Position in the user's audio, as `audioMs`. */
      readonly startMs: number;
      readonly endMs: number;
    }
  /**
   * No packet leaves until `restored`: the media plane restarts the worker that sends them. The queue is kept. Open speech
   * has stopped before.
   */
  | { readonly type: 'suspended' }
  | { readonly type: 'restored' }
  /** No packet arrived for the configured time, and the call was not on hold. */
  | { readonly type: 'timeout' }
  /** The media has failed. No event follows. */
  | { readonly type: 'failed'; readonly message: string };

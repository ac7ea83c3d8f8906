import type { AudioFormat } from '../../base/audio/audio-format.ts';

/**
 * The audio of one call. Playout is a queue of segments, each of an utterance (one turn of the agent). Utterance numbers
 * rise; after `clear(u)` nothing of an utterance ≤ u reaches the wire, also what is still on its way there.
 * Every method returns at once; what happened comes as events.
 */
export interface Media {
  /** What `onAudio` gives, and what `play` takes without converting it; the same for the whole call. */
  readonly format: AudioFormat;
  /**
   * Queues audio behind what is queued. False: the queue is full and nothing was taken; call again after
   * `onDrained`. `audio` is copied before it returns.
   */
  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array): boolean;
  /** The segment has no more audio: `segment_ended` is told when its last sample has left on the wire. */
  endSegment(utterance: number, segment: number): void;
  /** Acts before the next packet; answered by `cleared`. */
  clear(utterance: number): void;
  /** Acts before the next packet; answered by `paused`. The queue is kept. */
  pause(): void;
  /** Goes on at the very sample where it stopped. */
  resume(): void;
  /**
   * Sends RFC 4733 events, one after another, 100 ms each with 100 ms behind them. Characters: 0-9 * # A-D, and pauses:
   * `w` of half a second, `,` of two. Audio that is queued waits at the same time.
   */
  sendDtmf(digits: string): void;
  /** Whether `tone` events are told; off at first, as looking for tones costs as much as all else that a frame does. */
  listenForTones(on: boolean): void;
  /** The user's audio as it arrived (reordered only), from the first packet on. Kept until someone listens, at most 5 s. */
  onAudio(listener: (format: AudioFormat, audio: Uint8Array) => void): void;
  /** There is room again after `play` answered false. */
  onDrained(listener: () => void): void;
  onEvent(listener: (event: MediaEvent) => void): void;
  /** Ends the stream, the recording and the port. Idempotent; no event follows. */
  close(): void;
}

/** `audioMs` counts the user's audio since the first packet of the call; `playedMs` the agent's, of one utterance. */
export type MediaEvent =
  /** Local voice activity. */
  | { readonly type: 'speech_started'; readonly audioMs: number }
  | { readonly type: 'speech_stopped'; readonly audioMs: number }
  /** The first sample of a segment has left on the wire; `playedMs`: what of the utterance had left before it. */
  | {
      readonly type: 'segment_started';
      readonly utterance: number;
      readonly segment: number;
      readonly playedMs: number;
    }
  | { readonly type: 'segment_ended'; readonly utterance: number; readonly segment: number; readonly playedMs: number }
  /** The answer to `clear`: what of the utterance has left on the wire, to the sample. */
  | { readonly type: 'cleared'; readonly utterance: number; readonly playedMs: number }
  | { readonly type: 'paused'; readonly utterance: number; readonly playedMs: number }
  | { readonly type: 'dtmf'; readonly digit: string; readonly durationMs: number }
  /**
   * A machine's tone has ended, and it is known that no other follows: the beep behind a greeting, or the special
   * information tones (`sit`) before an announcement that nobody can be reached. Told 0.2–0.7 s after `endMs`.
   */
  | {
      readonly type: 'tone';
      readonly kind: 'beep' | 'sit';
      readonly frequencyHz: number;
      /** Of the user's audio, like `audioMs`. */
      readonly startMs: number;
      readonly endMs: number;
    }
  /** Nothing leaves until `restored`: the media plane is replacing what sends the packets. The queue is kept. */
  | { readonly type: 'suspended' }
  | { readonly type: 'restored' }
  /** No packet came for the configured time while the call was not on hold. */
  | { readonly type: 'timeout' }
  /** The media cannot go on; no event follows. */
  | { readonly type: 'failed'; readonly message: string };

import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';

/**
 * What the main thread and a media worker tell each other: orders and events of a call, never a packet. Each names the
 * slot and its generation; what comes for an earlier generation is not heard.
 */
export interface SessionKey {
  readonly slot: number;
  readonly generation: number;
}

/** What a call's peer hears: its agent, a ringing tone, or the peer of another call of the same worker. */
export type PlaybackSource = 'agent' | 'ringback' | SessionKey;

export type MediaWorkerCommand = SessionKey &
  (
    | ({ readonly type: 'open'; readonly transport: LegTransport } & OpenCommand)
    | { readonly type: 'configure'; readonly session: RtpParameters }
    /** Of a web call, which has no session: its frames flow from now on. */
    | { readonly type: 'start' }
    | { readonly type: 'clear'; readonly utterance: number }
    | { readonly type: 'pause' }
    | { readonly type: 'dtmf'; readonly digits: string }
    | { readonly type: 'tones'; readonly on: boolean }
    /** The peer pressed a key, and signalling brought it. */
    | { readonly type: 'info_dtmf'; readonly digit: string; readonly durationMs: number }
    /** Its packets are copied from now on, as ones of this address of ours; null: no more. */
    | { readonly type: 'capture'; readonly localAddress: string | null }
    | { readonly type: 'playback_source'; readonly source: PlaybackSource }
    | { readonly type: 'close' }
  );

export interface OpenCommand {
  readonly memory: SharedArrayBuffer;
  /** What the call's listeners are given. */
  readonly format: AudioFormat;
  readonly mediaTimeoutMs: number;
  readonly recording: SharedArrayBuffer | null;
  /** How long the call was without a worker, in ms: silence on its recording. 0 for a new call. */
  readonly absentMs: number;
}

/** What a leg's audio goes over: two ports, or the memory of a web call's line. */
export type LegTransport =
  | { readonly type: 'rtp'; readonly port: number }
  | { readonly type: 'web'; readonly memory: SharedArrayBuffer };

export type MediaWorkerReport =
  /** The worker has loaded and takes orders. */
  | { readonly type: 'ready' }
  | (SessionKey &
      (
        | { readonly type: 'opened' }
        | { readonly type: 'open_failed'; readonly code: string }
        | { readonly type: 'event'; readonly event: MediaEvent }
        /** A session that awaits its peer has heard enough of it. */
        | { readonly type: 'source_verified' }
        /** Packets of a call that is captured: records of a capture, one behind another. */
        | { readonly type: 'captured'; readonly records: Uint8Array }
        /** The call's ports and memory are free. */
        | { readonly type: 'closed' }
      ));

export interface MediaWorkerOptions {
  readonly bindAddress: string;
  readonly slots: number;
  readonly wakeUp: SharedArrayBuffer;
  readonly statistics: SharedArrayBuffer;
  readonly heartbeat: SharedArrayBuffer;
}

import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { SourceVerification } from '../source-verification.ts';
import type { ChosenSockets, UdpSocketChoice } from '../udp/udp-sockets.ts';

/**
 * The messages between the main thread and a media worker: commands and events of a session, never a packet. Each message
 * has a slot and its generation. Messages for an earlier generation are ignored.
 */
export interface SessionKey {
  readonly slot: number;
  readonly generation: number;
}

/** The audio that a session's peer hears: its agent, a ringing tone, or the peer of another session of the worker. */
export type PlaybackSource = 'agent' | 'ringback' | SessionKey;

export type MediaWorkerCommand = SessionKey &
  (
    | ({ readonly type: 'open'; readonly transport: SessionTransport } & OpenCommand)
    | { readonly type: 'configure'; readonly parameters: RtpParameters }
    /** A web call sends and receives frames from now on. */
    | { readonly type: 'start' }
    | { readonly type: 'clear'; readonly utterance: number }
    | { readonly type: 'pause' }
    | { readonly type: 'dtmf'; readonly digits: string }
    | { readonly type: 'tones'; readonly on: boolean }
    /** Noise is suppressed for transcriber and voice activity from now on. */
    | { readonly type: 'suppress_noise' }
    /** The peer sent a DTMF digit by SIP INFO. */
    | { readonly type: 'info_dtmf'; readonly digit: string; readonly durationMs: number }
    /** Starts a capture with this address as ours; null: ends it. */
    | { readonly type: 'capture'; readonly localAddress: string | null }
    | { readonly type: 'playback_source'; readonly source: PlaybackSource }
    | { readonly type: 'close' }
  );

export interface OpenCommand {
  readonly memory: SharedArrayBuffer;
  /** The format of the session's audio. */
  readonly format: AudioFormat;
  readonly mediaTimeoutMs: number;
  readonly recording: SharedArrayBuffer | null;
  /** How long the call was without a worker, in ms. This time is silent in the recording. 0 for a new call. */
  readonly absentMs: number;
}

/** The transport of a session: two ports, or the memory of a web call's channel. */
export type SessionTransport =
  | { readonly type: 'rtp'; readonly port: number }
  | { readonly type: 'web'; readonly memory: SharedArrayBuffer };

export type MediaWorkerReport =
  /** The worker has loaded and accepts commands. */
  | { readonly type: 'ready'; readonly sockets: ChosenSockets }
  | (SessionKey &
      (
        | { readonly type: 'opened' }
        | { readonly type: 'open_failed'; readonly code: string }
        | { readonly type: 'event'; readonly event: MediaEvent }
        | { readonly type: 'source_verification'; readonly result: SourceVerification }
        /** The call goes on without noise suppression. */
        | { readonly type: 'noise_suppression_failed'; readonly message: string }
        /** Captured packets of a session, as consecutive capture records. */
        | { readonly type: 'captured'; readonly records: Uint8Array }
        /** The call's ports and memory are free. */
        | { readonly type: 'closed' }
      ));

export interface MediaWorkerOptions {
  readonly bindAddress: string;
  readonly sockets: UdpSocketChoice;
  readonly slots: number;
  readonly wakeUp: SharedArrayBuffer;
  readonly statistics: SharedArrayBuffer;
  readonly heartbeat: SharedArrayBuffer;
}

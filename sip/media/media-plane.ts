import type { Media, MediaEvent } from '../../engine/ports/media.ts';
import type { RecordingOutcome } from '../recorder/recording-outcome.ts';
import type { RtpParameters } from '../rtp/rtp-parameters.ts';
import type { MediaQuality } from './quality/media-quality.ts';

/** The media of all calls of this process, spread over its workers. */
export interface MediaPlane {
  /**
   * Opens an RTP port for one call. Rejects with a `MediaPlaneError` where no port or slot is free or no worker lives.
   */
  open(options: RtpMediaSessionOptions): Promise<RtpMediaSession>;
  /** Opens the media of one web call. Rejects with a `MediaPlaneError` where no slot is free or no worker lives. */
  openWeb(options: WebMediaSessionOptions): Promise<WebMediaSession>;
  /** Whether one more call fits now; what to tell the peer if not. */
  capacity(): { readonly accepted: true } | { readonly accepted: false; readonly retryAfterSeconds: number };
  statistics(): Promise<MediaStatistics>;
  /** Ends every leg and worker. */
  close(): Promise<void>;
}

/** What the media of a phone call and of a web call have in common. */
export interface MediaSessionOptions {
  /** For logs and the recording's name only. */
  readonly callId: string;
  /** Path of the stereo WAV to write (caller left, agent right); absent: no recording. */
  readonly recordingPath?: string;
  /** Without audio of the caller for so long, in ms, the leg tells `timeout`; suspended while none is expected. */
  readonly mediaTimeoutMs: number;
}

export interface RtpMediaSessionOptions extends MediaSessionOptions {
  /**
   * What decides how the leg speaks with its listeners for its whole life (`format`): a law of G.711 as it is, a wideband
   * codec as linear16 at 16 kHz. Where the wire speaks another, or changes to it, the leg converts: those who opened a
   * transcriber or a voice need not know.
   */
  readonly codec: RtpParameters['codec'];
  /** A leg that this one is to be bridged with: both are then held by one worker. */
  readonly beside?: RtpMediaSession;
}

export type WebMediaSessionOptions = MediaSessionOptions;

/** The control of one call's media, over RTP or a web channel. The audio is apart, in `audio`. */
export interface MediaSession {
  /** What the engine plays and hears. */
  readonly audio: Media;
  /** Ends the audio, the recording and the port. Idempotent; no event follows. */
  close(): void;
  /** Resolves once the recording (if any) is whole on disk; call after `close`. */
  readonly recorded: Promise<RecordingOutcome>;
  /** What the network has done to the call so far; null before its first packet. Absent: media that is not RTP. */
  readonly quality?: MediaQuality | null;
  /**
   * Copies the call's RTP, in the clear, to `hand` as records of a capture (`pcapFile`), as packets of this address of
   * ours; null: no more. Nothing is copied before. Absent: media that is not RTP.
   */
  capture?(localAddress: string | null, hand: (records: Uint8Array) => void): void;
}

/** The media of a web call: linear16 at 16 kHz both ways. It knows no ports, no keys of ours (`sendDtmf`) and no bridge. */
export interface WebMediaSession extends MediaSession {
  readonly channel: WebChannel;
  /** Frames flow from now on, as long as the line is connected. */
  start(): void;
  /** What the connection knows better than the worker: a key that was pressed, a caller who did not come back, a fault. */
  report(event: Extract<MediaEvent, { type: 'dtmf' | 'timeout' | 'failed' }>): void;
}

/** What whoever holds a web call's connection moves between it and the worker. Frames are linear16 at 16 kHz. */
export interface WebChannel {
  /** Whether a browser is there: without one the agent waits, and the caller is not missed. */
  connected: boolean;
  /** A frame of the caller's: whole samples, 100 ms at most. Of what the worker cannot take yet the oldest is dropped. */
  write(audio: Uint8Array): void;
  /**
   * The agent's next frame, of 20 ms, which counts as heard once it is taken; null where there is none. Whoever is asked
   * not to take (a slow browser) makes the agent wait, 0.4 s behind.
   */
  next(): Uint8Array | null;
  /** There are frames. */
  onSpoken(listener: () => void): void;
  /** What was taken and is not heard yet should not be: called before the first frame behind it can be taken. */
  onClear(listener: () => void): void;
}

export interface RtpMediaSession extends MediaSession {
  /** The local RTP port, even; RTCP is the next one. */
  readonly port: number;
  /**
   * From the first call on packets flow at once, silence where nothing is queued; of a session with `awaitsPeer` from the next
   * call on. Again at each new SDP.
   */
  configure(session: RtpParameters): void;
  /**
   * A peer that the session awaits has shown by its packets that it is there: it knows our port, which nobody can guess who has
   * not seen our answer. Told once a session at most; it goes on waiting until it is configured anew.
   */
  onSourceVerified(listener: () => void): void;
  /**
   * What the peer hears from now on: the agent (as at first), a ringing tone, or the peer of a leg that was opened beside
   * this one, whose keys then reach this peer too. What the agent plays meanwhile waits. A leg is heard by one other at most.
   */
  setPlaybackSource(source: 'agent' | 'ringback' | RtpMediaSession): void;
  /** The peer pressed a key, and a SIP INFO brought it: told as `dtmf` where it did not come by another way too. */
  receiveInfoDtmf(digit: string, durationMs: number): void;
  capture(localAddress: string | null, hand: (records: Uint8Array) => void): void;
}

export interface MediaStatistics {
  readonly legs: number;
  readonly packetsReceived: number;
  readonly packetsSent: number;
  readonly packetsDropped: number;
  /** Lateness of the wheel over the last second. */
  readonly latenessP99Ms: number;
  /** Share of a processor that the busiest worker took over the last second, 0–1. */
  readonly busyShare: number;
}

import type { Media, MediaEvent } from '../../engine/ports/media.ts';
import type { RecordingOutcome } from '../recorder/recording-outcome.ts';
import type { RtpParameters } from '../rtp/rtp-parameters.ts';
import type { MediaQuality } from './quality/media-quality.ts';
import type { SourceVerification } from './source-verification.ts';

/** The media of all calls of this process, spread over its workers. */
export interface MediaService {
  /**
   * Opens the media session of one phone call. Rejects with a `MediaServiceError` if no port or slot is free, or no
   * worker runs.
   */
  open(options: RtpMediaSessionOptions): Promise<RtpMediaSession>;
  /** Opens the media session of one web call. Rejects with a `MediaServiceError` if no slot is free or no worker runs. */
  openWeb(options: WebMediaSessionOptions): Promise<WebMediaSession>;
  /** Whether one more call fits now, and after how long a refused peer may retry. */
  capacity(): { readonly accepted: true } | { readonly accepted: false; readonly retryAfterSeconds: number };
  statistics(): Promise<MediaStatistics>;
  /** Closes every session and ends the workers. */
  close(): Promise<void>;
}

/** Options that phone calls and web calls share. */
export interface MediaSessionOptions {
  /** For logs and the recording's name only. */
  readonly callId: string;
  /** Path of the stereo WAV to write (peer left, agent right); absent: no recording. */
  readonly recordingPath?: string;
  /**
   * After this time without audio of the peer, in ms, the session emits `timeout`. The time does not run while no audio
   * is expected.
   */
  readonly mediaTimeoutMs: number;
}

export interface RtpMediaSessionOptions extends MediaSessionOptions {
  /**
   * Decides the format of the session's audio until its end: G.711 stays G.711, a wideband codec becomes linear16 at
   * 16 kHz. If the wire later uses another codec, the session converts, so transcriber and voice keep their format.
   */
  readonly codec: RtpParameters['codec'];
  /** A session that this one will be bridged with: the same worker runs both. */
  readonly beside?: RtpMediaSession;
}

export type WebMediaSessionOptions = MediaSessionOptions;

/** The control of one call's media, over RTP or a web channel. Its audio is in `audio`. */
export interface MediaSession {
  /** Playback to the peer and audio from it, as the engine's port. */
  readonly audio: Media;
  /**
   * Suppresses noise for transcriber and voice activity from now on.
   *
   * @param onFailed called if that failed: the call goes on with the original audio
   */
  suppressNoise(onFailed: (message: string) => void): void;
  /** Ends the audio, the recording and the port. Idempotent; no event follows. */
  close(): void;
  /** Silences the recording from now on, or ends the silence. Its time goes on. No effect without a recording. */
  pauseRecording(isPaused: boolean): void;
  /** Length of the recording so far; 0 without a recording. */
  readonly recordedMs: number;
  /** Resolves once the recording, if any, is complete on disk. Await it after `close`. */
  readonly recorded: Promise<RecordingOutcome>;
  /** Loss, jitter and delay so far; null before the first packet. Absent: media that is not RTP. */
  readonly quality?: MediaQuality | null;
  /** The same since the last call of this method; null if no packet was counted. Absent: media that is not RTP. */
  qualityInterval?(): MediaQuality | null;
  /**
   * Passes copies of the call's unencrypted RTP to `onRecords` as capture records (`pcapFile`). `localAddress` is
   * recorded as our address; null ends the capture. Absent: media that is not RTP.
   */
  capture?(localAddress: string | null, onRecords: (records: Uint8Array) => void): void;
}

/** The media of a web call: linear16 at 16 kHz in both directions, without ports, `sendDtmf` and bridge. */
export interface WebMediaSession extends MediaSession {
  readonly channel: WebChannel;
  /** Frames flow from now on while the channel is connected. */
  start(): void;
  /** Reports what only the WebSocket connection knows: a DTMF digit, a user who did not return, a failure. */
  report(event: Extract<MediaEvent, { type: 'dtmf' | 'typed_text' | 'timeout' | 'failed' }>): void;
}

/** The frames that the owner of a web call's connection moves to and from the worker: linear16 at 16 kHz. */
export interface WebChannel {
  /** Whether a browser is connected. Without one the agent waits, and no timeout runs. */
  connected: boolean;
  /** A frame of the user: whole samples, at most 100 ms. A full buffer drops its oldest frame. */
  write(audio: Uint8Array): void;
  /**
   * The agent's next 20 ms frame, which counts as played once it is read; null if none is ready. If frames are not read,
   * because the browser is slow, the agent waits after 0.4 s.
   */
  next(): Uint8Array | null;
  /** `next` may have frames. */
  onAgentAudio(listener: () => void): void;
  /**
   * The browser must discard the frames that were read but not yet played. Called before `next` returns a later frame.
   */
  onClear(listener: () => void): void;
}

export interface RtpMediaSession extends MediaSession {
  /** The local RTP port, even; RTCP is the next one. */
  readonly port: number;
  /**
   * Packets are sent from the first call on: silence if no audio is queued. A session with `sourceUnverified` sends
   * nothing until the next call. Called again for each new SDP.
   */
  configure(parameters: RtpParameters): void;
  /**
   * Reports about a peer whose address is in doubt: `sourceUnverified`, `unansweredMsMax`. `verified` comes at most once per
   * configuration; `silenced` and `resumed` alternate.
   */
  onSourceVerification(listener: (result: SourceVerification) => void): void;
  /**
   * Chooses the audio that the peer hears: the agent (the default), a ringing tone, or the peer of a session in the same
   * worker (`beside`). DTMF digits of that peer are relayed too. The agent's queued audio waits. At most one
   * session may listen to another.
   */
  setPlaybackSource(source: 'agent' | 'ringback' | RtpMediaSession): void;
  /** Takes a DTMF digit of SIP INFO. Emitted as `dtmf` unless another source already delivered the same digit. */
  receiveInfoDtmf(digit: string, durationMs: number): void;
  capture(localAddress: string | null, onRecords: (records: Uint8Array) => void): void;
}

export interface MediaStatistics {
  readonly sessions: number;
  readonly packetsReceived: number;
  readonly packetsSent: number;
  readonly packetsDropped: number;
  /** Lateness of the pacer over the last second. */
  readonly latenessP99Ms: number;
  /** Share of a processor that the busiest worker used over the last second, 0–1. */
  readonly busyShare: number;
}

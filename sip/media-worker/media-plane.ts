import type { Media } from '../../engine/ports/media.ts';
import type { RtpSession } from '../rtp/rtp-session.ts';

/** The media of all calls of this process, spread over its workers. */
export interface MediaPlane {
  /**
   * Opens an RTP port for one call. Rejects with a `MediaPlaneError` where no port or slot is free or no worker lives.
   */
  open(options: MediaLegOptions): Promise<MediaLeg>;
  /** Whether one more call fits now; what to tell the peer if not. */
  admission(): { readonly accepted: true } | { readonly accepted: false; readonly retryAfterSeconds: number };
  statistics(): Promise<MediaStatistics>;
  /** Ends every leg and worker. */
  close(): Promise<void>;
}

export interface MediaLegOptions {
  /** For logs and the recording's name only. */
  readonly callId: string;
  /**
   * What decides how the leg speaks with its listeners for its whole life (`format`): a law of G.711 as it is, a wideband
   * codec as linear16 at 16 kHz. Where the wire speaks another, or changes to it, the leg converts: those who opened a
   * transcriber or a voice need not know.
   */
  readonly codec: RtpSession['codec'];
  /** Path of the stereo WAV to write (caller left, agent right); absent: no recording. */
  readonly recordingPath?: string;
  /** Without a packet for so long, in ms, the leg tells `timeout`; suspended while the session is not `sendrecv`. */
  readonly mediaTimeoutMs: number;
  /** A leg that this one is to be bridged with: both are then held by one worker. */
  readonly beside?: MediaLeg;
}

export interface MediaLeg extends Media {
  /** The local RTP port, even; RTCP is the next one. */
  readonly port: number;
  /** From the first call on packets flow at once, silence where nothing is queued. Again at each new SDP. */
  configure(session: RtpSession): void;
  /**
   * What the peer hears from now on: the agent (as at first), a ringing tone, or the peer of a leg that was opened beside
   * this one, whose keys then reach this peer too. What the agent plays meanwhile waits. A leg is heard by one other at most.
   */
  hear(source: 'agent' | 'ringback' | MediaLeg): void;
  /** Resolves once the recording (if any) is whole on disk; call after `close`. */
  readonly recorded: Promise<RecordingOutcome>;
}

export interface RecordingOutcome {
  readonly path: string | null;
  /** False where a disk, a limit or a dead worker cost a part of it. */
  readonly complete: boolean;
  readonly durationMs: number;
}

export interface MediaStatistics {
  readonly legs: number;
  readonly packetsReceived: number;
  readonly packetsSent: number;
  readonly packetsDropped: number;
  /** Lateness of the wheel over the last second. */
  readonly latenessP99Ms: number;
  readonly busyShare: number;
}

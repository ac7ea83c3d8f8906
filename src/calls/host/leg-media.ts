import type { MediaSession, RtpMediaSession, WebMediaSession } from '../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import { removeRecording } from '../recording/unredacted-recording.ts';
import type { HostMediaEvent } from './call-host.ts';

/** The media session of one leg, over RTP or a web channel. */
export type LegWire =
  | { readonly kind: 'rtp'; readonly session: RtpMediaSession }
  | { readonly kind: 'web'; readonly session: WebMediaSession };

export interface LegMediaOptions {
  readonly mediaId: string;
  readonly wire: LegWire;
  /** Path of the finished recording; null: none. */
  readonly recordingPath: string | null;
  readonly redactsAudio: boolean;
}

/** The media of one leg in its host. Commands for RTP have no effect on a web channel. */
export class LegMedia {
  readonly recordingPath: string | null;
  readonly redactsAudio: boolean;
  readonly #mediaId: string;
  readonly #wire: LegWire;
  readonly #emit: (event: HostMediaEvent) => void;
  #isPaused = false;
  #isRefused = false;
  /** Nothing is transcribed any more, so nothing could be redacted. */
  #isUnredacted = false;

  constructor({ mediaId, recordingPath, redactsAudio, wire }: LegMediaOptions, emit: (event: HostMediaEvent) => void) {
    this.recordingPath = recordingPath;
    this.redactsAudio = redactsAudio;
    this.#mediaId = mediaId;
    this.#wire = wire;
    this.#emit = emit;
    this.rtp?.onSourceVerification((result) => emit({ type: 'source_verification', mediaId, result }));
  }

  get session(): MediaSession {
    return this.#wire.session;
  }

  get rtp(): RtpMediaSession | null {
    return this.#wire.kind === 'rtp' ? this.#wire.session : null;
  }

  get web(): WebMediaSession | null {
    return this.#wire.kind === 'web' ? this.#wire.session : null;
  }

  /** For media without an engine. */
  reportLoss(): void {
    this.session.audio.onEvent(({ type }) => {
      if (type === 'timeout' || type === 'failed')
        this.#emit({ type: 'media_lost', mediaId: this.#mediaId, cause: type });
    });
  }

  configure(parameters: RtpParameters): void {
    this.rtp?.configure(parameters);
  }

  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.rtp?.receiveInfoDtmf(digit, durationMs);
  }

  setPlaybackSource(source: 'agent' | 'ringback'): void {
    this.rtp?.setPlaybackSource(source);
  }

  /** Both are in one media worker. */
  bridge(second: LegMedia): void {
    if (this.rtp === null || second.rtp === null) return;
    this.#isUnredacted = this.redactsAudio;
    this.#silenceRecording();
    this.rtp.setPlaybackSource(second.rtp);
    second.rtp.setPlaybackSource(this.rtp);
  }

  /** The recording is silent from now on, or no longer. */
  pauseRecording(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#silenceRecording();
  }

  /**
   * The user has refused: nothing more is recorded, and what was recorded is deleted. What the recorder still writes has no name. Rejects
   * if the file cannot be deleted.
   */
  async refuseRecording(): Promise<void> {
    this.#isRefused = true;
    this.#silenceRecording();
    if (this.recordingPath !== null) await removeRecording(this.recordingPath);
  }

  /** The user has refused the recording: once it is closed, it has to be deleted again. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  #silenceRecording(): void {
    this.session.pauseRecording(this.#isPaused || this.#isRefused || this.#isUnredacted);
  }

  capture(localAddress: string | null): void {
    const mediaId = this.#mediaId;
    this.rtp?.capture(localAddress, (records) => this.#emit({ type: 'captured', mediaId, records }));
  }

  /** Closes media that no engine runs. */
  release(keepsRecording: boolean): void {
    const mediaId = this.#mediaId;
    const quality = this.session.quality ?? null;
    this.session.close();
    this.#emit({ type: 'released', mediaId, quality });
    void this.#finishRecording(keepsRecording).then((recording) =>
      this.#emit({ type: 'media_closed', mediaId, recording }),
    );
  }

  /** Never rejects. */
  async #finishRecording(isKept: boolean) {
    const recording = await this.session.recorded;
    if (this.recordingPath === null || (isKept && !this.redactsAudio)) return recording;
    await removeRecording(this.recordingPath).catch(() => {});
    return { ...recording, path: null };
  }
}

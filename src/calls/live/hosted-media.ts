import type { MediaQuality } from '../../../sip/media/quality/media-quality.ts';
import type { SourceVerification } from '../../../sip/media/source-verification.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { CallHost, HostMediaEvent } from '../host/call-host.ts';

/** Why media without an engine ended by themselves. */
export type MediaLoss = Extract<HostMediaEvent, { readonly type: 'media_lost' }>['cause'];

/** The report of the host about released media. Neither promise rejects. */
export interface ReleasedMedia {
  /** Null before the first packet. */
  readonly quality: Promise<MediaQuality | null>;
  /** Resolves once the recording is completely on the disk or deleted. */
  readonly recording: Promise<RecordingOutcome>;
}

export interface HostedRtpMediaOptions {
  readonly mediaId: string;
  readonly callId: string;
  readonly port: number;
}

/** The RTP media of one leg in its host: commands to them, and their events. */
export class HostedRtpMedia {
  readonly port: number;
  readonly #mediaId: string;
  readonly #callId: string;
  readonly #host: Pick<CallHost, 'send'>;
  readonly #quality = Promise.withResolvers<MediaQuality | null>();
  readonly #recording = Promise.withResolvers<RecordingOutcome>();
  #onSourceVerification: (result: SourceVerification) => void = () => {};
  #onCaptured: (records: Uint8Array) => void = () => {};
  #onLost: ((cause: MediaLoss) => void) | null = null;
  /** A loss from before the first listener. */
  #keptLoss: MediaLoss | null = null;

  constructor(host: Pick<CallHost, 'send'>, { mediaId, callId, port }: HostedRtpMediaOptions) {
    this.#host = host;
    this.#mediaId = mediaId;
    this.#callId = callId;
    this.port = port;
  }

  configure(session: RtpParameters): void {
    this.#host.send({ type: 'configure', mediaId: this.#mediaId, session });
  }

  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.#host.send({ type: 'info_dtmf', mediaId: this.#mediaId, digit, durationMs });
  }

  onSourceVerification(listener: (result: SourceVerification) => void): void {
    this.#onSourceVerification = listener;
  }

  /** For the first leg of a call: the audio that its peer hears. */
  setPlaybackSource(source: 'agent' | 'ringback'): void {
    this.#host.send({ type: 'playback_source', callId: this.#callId, source });
  }

  /** For the first leg of a call: its peer and that of `second`, a second leg of the same call, hear each other. */
  bridge(second: HostedRtpMedia): void {
    this.#host.send({ type: 'bridge', callId: this.#callId, mediaId: second.#mediaId });
  }

  /**
   * For the first leg of a call: passes copies of its unencrypted RTP to `onRecords` as capture records (`pcapFile`).
   * `localAddress` is recorded as our address; null ends the capture.
   */
  capture(localAddress: string | null, onRecords: (records: Uint8Array) => void): void {
    this.#onCaptured = onRecords;
    this.#host.send({ type: 'capture', callId: this.#callId, localAddress });
  }

  /** For media without an engine. */
  onLost(listener: (cause: MediaLoss) => void): void {
    this.#onLost = listener;
    if (this.#keptLoss !== null) listener(this.#keptLoss);
    this.#keptLoss = null;
  }

  /** Closes media that no engine runs, and deletes their recording. */
  close(): void {
    this.release(false);
  }

  /** Closes media that no engine runs. */
  release(keepsRecording: boolean): ReleasedMedia {
    this.#host.send({ type: 'release', mediaId: this.#mediaId, keepsRecording });
    return { quality: this.#quality.promise, recording: this.#recording.promise };
  }

  /** Takes an event of the host about these media. */
  receive(event: HostMediaEvent): void {
    switch (event.type) {
      case 'source_verification':
        this.#onSourceVerification(event.result);
        return;
      case 'media_lost':
        if (this.#onLost === null) this.#keptLoss = event.cause;
        else this.#onLost(event.cause);
        return;
      case 'captured':
        this.#onCaptured(event.records);
        return;
      case 'released':
        this.#quality.resolve(event.quality);
        return;
      case 'media_closed':
        this.#recording.resolve(event.recording);
        return;
    }
  }
}

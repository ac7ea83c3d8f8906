import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { CallHost, HostMediaEvent, MediaReservation } from '../host/call-host.ts';
import type { WebCallMedia, WebMediaAccess } from '../host/web-media-access.ts';
import { recordingPathOf } from '../recording/recording-path.ts';
import { HostedRtpMedia } from './hosted-media.ts';

/** Without audio for this long, a leg that is not on hold has lost its peer. */
const MEDIA_TIMEOUT_MS = 30_000;

export interface MediaReservationsOptions {
  readonly host: Pick<CallHost, 'reserve' | 'send'>;
  readonly webMedia: WebMediaAccess;
  /** `DATA_DIR`, which contains the folder of recordings. */
  readonly dataDir: string;
}

export interface PhoneCallReservation {
  readonly codec: RtpMediaSessionOptions['codec'];
  readonly isRecorded: boolean;
  /** See `MediaReservation`. */
  readonly redactsAudio: boolean;
  /** False for a redirected call. */
  readonly hasEngine: boolean;
}

/** Reserves the media of calls in the host, and passes the host's events on to them. */
export class MediaReservations {
  readonly #options: MediaReservationsOptions;
  /** RTP media by `mediaId`, until the host has closed them. */
  readonly #media = new Map<string, HostedRtpMedia>();

  constructor(options: MediaReservationsOptions) {
    this.#options = options;
  }

  /** The first leg of a phone call. Rejects with a `MediaServiceError` if there is no room. */
  reserveCall(
    callId: string,
    { codec, hasEngine, isRecorded, redactsAudio }: PhoneCallReservation,
  ): Promise<HostedRtpMedia> {
    const recordingPath = this.#recordingPath(callId, isRecorded);
    return this.#reserveRtp(callId, {
      kind: 'rtp',
      callId,
      codec,
      hasEngine,
      recordingPath,
      redactsAudio,
      mediaTimeoutMs: MEDIA_TIMEOUT_MS,
    });
  }

  /** The second leg of a bridge, beside the first leg of its call. Rejects with a `MediaServiceError` if there is no room. */
  reserveSecondLeg(callId: string): Promise<HostedRtpMedia> {
    const mediaId = randomUUID();
    return this.#reserveRtp(mediaId, { kind: 'second_leg', callId, mediaId, mediaTimeoutMs: MEDIA_TIMEOUT_MS });
  }

  /** A web call. Rejects with a `MediaServiceError` if there is no room. */
  async reserveWebCall(
    callId: string,
    { isRecorded, redactsAudio }: Pick<PhoneCallReservation, 'isRecorded' | 'redactsAudio'>,
  ): Promise<WebCallMedia> {
    const { host, webMedia } = this.#options;
    const recordingPath = this.#recordingPath(callId, isRecorded);
    await host.reserve({ kind: 'web', callId, recordingPath, redactsAudio, mediaTimeoutMs: MEDIA_TIMEOUT_MS });
    const media = webMedia.webMedia(callId);
    if (media === null) throw new Error('reserved web call has no web media');
    return media;
  }

  /** The RTP media of a call's first leg; null for a web call and once they are closed. */
  firstLeg(callId: string): HostedRtpMedia | null {
    return this.#media.get(callId) ?? null;
  }

  /** Closes the media of a call that was not launched, and deletes their recording. */
  release(callId: string): void {
    this.#options.host.send({ type: 'release', mediaId: callId, keepsRecording: false });
  }

  receive(event: HostMediaEvent): void {
    this.#media.get(event.mediaId)?.receive(event);
    if (event.type === 'media_closed') this.#media.delete(event.mediaId);
  }

  /** The host has closed a call with an engine. */
  callClosed(callId: string): void {
    this.#media.delete(callId);
  }

  async #reserveRtp(mediaId: string, reservation: MediaReservation): Promise<HostedRtpMedia> {
    const { host } = this.#options;
    const { port } = await host.reserve(reservation);
    if (port === null) throw new Error('reserved phone call has no RTP port');
    const media = new HostedRtpMedia(host, { mediaId, callId: reservation.callId, port });
    this.#media.set(mediaId, media);
    return media;
  }

  #recordingPath(callId: string, isRecorded: boolean): string | null {
    return isRecorded ? join(this.#options.dataDir, recordingPathOf(callId)) : null;
  }
}

import type { RtpMediaSession } from '../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { CallHost } from '../host/call-host.ts';

/** The media of a call in its host, as its SIP leg configures it. */
export class HostedRtpMedia implements Pick<RtpMediaSession, 'port' | 'configure' | 'onSourceVerified'> {
  readonly port: number;
  /** For a bridge, which needs the session itself: both legs are in one media worker. */
  readonly local: RtpMediaSession;
  readonly #callId: string;
  readonly #host: Pick<CallHost, 'send'>;
  readonly #release: () => void;
  #onSourceVerified: () => void = () => {};

  constructor(
    host: Pick<CallHost, 'send'>,
    {
      callId,
      port,
      local,
      release,
    }: {
      readonly callId: string;
      readonly port: number;
      readonly local: RtpMediaSession;
      readonly release: () => void;
    },
  ) {
    this.#host = host;
    this.#release = release;
    this.#callId = callId;
    this.port = port;
    this.local = local;
  }

  configure(session: RtpParameters): void {
    this.#host.send({ type: 'configure', callId: this.#callId, session });
  }

  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.#host.send({ type: 'info_dtmf', callId: this.#callId, digit, durationMs });
  }

  onSourceVerified(listener: () => void): void {
    this.#onSourceVerified = listener;
  }

  /** The host reports that the peer's packets have proved its address. */
  sourceVerified(): void {
    this.#onSourceVerified();
  }

  /** Closes the media of a call that does not start. */
  close(): void {
    this.#release();
  }
}

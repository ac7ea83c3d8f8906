import type { RtpMediaSession } from '../../../sip/media/media-service.ts';
import type { SourceVerification } from '../../../sip/media/source-verification.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { CallHost } from '../host/call-host.ts';

/** The media of a call in its host, as its SIP leg configures it. */
export class HostedRtpMedia implements Pick<RtpMediaSession, 'port' | 'configure' | 'onSourceVerification'> {
  readonly port: number;
  /** For a bridge, which needs the session itself: both legs are in one media worker. */
  readonly local: RtpMediaSession;
  readonly #callId: string;
  readonly #host: Pick<CallHost, 'send'>;
  readonly #release: () => void;
  #onSourceVerification: (result: SourceVerification) => void = () => {};

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

  onSourceVerification(listener: (result: SourceVerification) => void): void {
    this.#onSourceVerification = listener;
  }

  /** The host's report about the peer's address. */
  sourceVerification(result: SourceVerification): void {
    this.#onSourceVerification(result);
  }

  /** Closes the media of a call that does not start. */
  close(): void {
    this.#release();
  }
}

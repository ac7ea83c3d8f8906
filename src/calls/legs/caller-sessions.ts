import type { RtpMediaSession } from '../../../sip/media/media-service.ts';
import type { OfferAnswer } from '../../../sip/sdp/answer-offer.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { LegSession } from './leg-session.ts';
import type { SdpNegotiation } from './sdp-negotiation.ts';
import type { UnansweredRtpBudget } from './unanswered-rtp-budget.ts';

/** Port of a trial answer, made before a port is open. */
const ANY_PORT = 4_000;

export interface CallerSessionsOptions {
  /** The SDP side of a caller on this RTP port, on the terms of its trunk. */
  readonly negotiation: (port: number, peer: string, trunk: SipTrunkRecord | null) => SdpNegotiation;
  readonly unansweredRtp: Pick<UnansweredRtpBudget, 'take'>;
}

type CallerMedia = Pick<RtpMediaSession, 'port' | 'configure' | 'onSourceVerification' | 'receiveInfoDtmf'>;

/** Makes the sessions of inbound legs. */
export class CallerSessions {
  readonly #options: CallerSessionsOptions;

  constructor(options: CallerSessionsOptions) {
    this.#options = options;
  }

  /** The answer to an offer, as a trial. Nothing is opened or taken. `sourceAddress`: source of the INVITE. */
  tryAnswer(offer: string, sourceAddress: string, trunk: SipTrunkRecord | null): OfferAnswer {
    return this.#options.negotiation(ANY_PORT, sourceAddress, trunk).answer(offer, sourceAddress);
  }

  open(media: CallerMedia, sourceAddress: string, trunk: SipTrunkRecord | null): LegSession {
    const { negotiation, unansweredRtp } = this.#options;
    const source = { address: sourceAddress, unansweredRtp };
    return new LegSession(negotiation(media.port, sourceAddress, trunk), media, source);
  }
}

import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import { answerOffer, type OfferAnswer } from '../../../sip/sdp/answer-offer.ts';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';
import { type AnswerResult, readAnswer } from '../../../sip/sdp/read-answer.ts';

/** The offers and answers of one leg: each description continues the one before. */
export class SdpNegotiation {
  readonly #local: Omit<LocalMedia, 'previous'>;
  readonly #inbandDtmf: boolean;
  #previous: string | null = null;

  /** `address`: where the peer sends RTP; `sessionId`: digits; `inbandDtmf`: DTMF digits may come as tones in the audio. */
  constructor(local: Omit<LocalMedia, 'previous'>, inbandDtmf = false) {
    this.#local = local;
    this.#inbandDtmf = inbandDtmf;
  }

  /** `sourceAddress`: source of the peer's SIP. */
  answer(offer: string, sourceAddress: string | null): OfferAnswer {
    const local = { ...this.#local, previous: this.#previous };
    const result = answerOffer(offer, local, { sourceAddress, nat: false });
    if (!result.ok) return result;
    this.#previous = result.answer;
    return { ...result, session: this.#withKeys(result.session) };
  }

  offer(): string {
    const offer = makeOffer({ ...this.#local, previous: this.#previous });
    this.#previous = offer;
    return offer;
  }

  /** Reads the answer to our last offer. */
  readAnswer(answer: string, sourceAddress: string | null): AnswerResult {
    const reading = readAnswer(this.#previous ?? '', answer, { sourceAddress, nat: false });
    return reading.ok ? { ...reading, session: this.#withKeys(reading.session) } : reading;
  }

  #withKeys(session: RtpParameters): RtpParameters {
    return this.#inbandDtmf ? { ...session, inbandDtmf: true } : session;
  }
}

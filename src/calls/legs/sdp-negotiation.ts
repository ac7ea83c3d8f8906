import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import { answerOffer, type OfferAnswer } from '../../../sip/sdp/answer-offer.ts';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';
import { type AnswerResult, readAnswer } from '../../../sip/sdp/read-answer.ts';

/** Our side of a leg's media, of which the negotiation chooses the address. */
export interface NegotiatedMedia extends Omit<LocalMedia, 'previous' | 'address'> {
  /**
   * The addresses at which we receive RTP, at most one of each IP family. Offers name the first until an answer takes
   * another.
   */
  readonly addresses: readonly [string, ...string[]];
}

/** The offers and answers of one leg: each description continues the one before. */
export class SdpNegotiation {
  readonly #local: Omit<NegotiatedMedia, 'addresses'>;
  readonly #inbandDtmf: boolean;
  #addresses: readonly [string, ...string[]];
  #previous: string | null = null;

  /** `sessionId`: digits; `inbandDtmf`: DTMF digits may come as tones in the audio. */
  constructor({ addresses, ...local }: NegotiatedMedia, inbandDtmf = false) {
    this.#local = local;
    this.#addresses = addresses;
    this.#inbandDtmf = inbandDtmf;
  }

  /** `sourceAddress`: source of the peer's SIP. An offer of the other IP family than the peer's SIP is answered in its own. */
  answer(offer: string, sourceAddress: string | null): OfferAnswer {
    const [preferred, ...others] = this.#addresses;
    const result = this.#answerAt(preferred, offer, sourceAddress);
    if (result.ok) return result;
    for (const address of others) {
      const other = this.#answerAt(address, offer, sourceAddress);
      if (!other.ok) continue;
      this.#addresses = [address, ...this.#addresses.filter((other) => other !== address)];
      return other;
    }
    return result;
  }

  #answerAt(address: string, offer: string, sourceAddress: string | null): OfferAnswer {
    const local = { ...this.#local, address, previous: this.#previous };
    const result = answerOffer(offer, local, { sourceAddress, nat: false });
    if (!result.ok) return result;
    this.#previous = result.answer;
    return { ...result, session: this.#withKeys(result.session) };
  }

  offer(): string {
    const offer = makeOffer({ ...this.#local, address: this.#addresses[0], previous: this.#previous });
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

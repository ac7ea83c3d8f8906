import type { RtpMediaSession } from '../../../sip/media/media-service.ts';
import type { RtpParameters } from '../../../sip/rtp/rtp-parameters.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { LegEvents } from './leg-events.ts';
import type { SdpNegotiation } from './sdp-negotiation.ts';
import type { UnansweredRtpBudget } from './unanswered-rtp-budget.ts';
import { UnansweredRtpGrants } from './unanswered-rtp-grants.ts';

type LegMedia = Pick<RtpMediaSession, 'configure' | 'onSourceVerification' | 'receiveInfoDtmf'>;

/** The source of an inbound leg's SIP. */
export interface LegSource {
  readonly address: string;
  /** Asked if the source is untrusted. */
  readonly unansweredRtp: Pick<UnansweredRtpBudget, 'take'>;
}

/** The media of one leg as offers and answers agree on it, from the first description to the last. */
export class LegSession {
  #negotiation: SdpNegotiation;
  readonly #media: LegMedia;
  readonly #sourceAddress: string | null;
  readonly #unanswered: UnansweredRtpGrants | null;
  /** The last agreement. */
  #session: RtpParameters | null = null;
  #isSourceTrusted = true;
  /** An ACK or packets have shown that the source of the peer's SIP is genuine. */
  #isSourceVerified = false;
  /** The media sends nothing until packets come from the address in SDP. */
  #isSilenced = false;
  #isOnHold = false;
  #reportedHold = false;

  /** `source`: null for an outbound leg. */
  constructor(negotiation: SdpNegotiation, media: LegMedia, source: LegSource | null) {
    this.#negotiation = negotiation;
    this.#media = media;
    this.#sourceAddress = source?.address ?? null;
    this.#unanswered = source === null ? null : new UnansweredRtpGrants(source.unansweredRtp);
  }

  /** Continues on the terms of the next trunk; the last offer had no answer. */
  restart(negotiation: SdpNegotiation): void {
    this.#negotiation = negotiation;
  }

  offer(): string {
    return this.#negotiation.offer();
  }

  /**
   * Configures the media by the peer's offer.
   * @returns our answer; or the status to refuse with, and the session stays as it was (RFC 3264 §8).
   */
  answer(offer: string): { readonly sdp: string } | { readonly refuse: number } {
    const result = this.#negotiation.answer(offer, this.#sourceAddress);
    if (!result.ok) return { refuse: result.status };
    this.#configure(result.session);
    return { sdp: result.answer };
  }

  /** Configures the media by the peer's answer to our offer. False if the answer contains no codec that we offered. */
  readAnswer(answer: string): boolean {
    const reading = this.#negotiation.readAnswer(answer, this.#sourceAddress);
    if (reading.ok) this.#configure(reading.session);
    return reading.ok;
  }

  /**
   * No trunk lists the source of the peer's SIP, and it proved no password. Nothing is sent before `sourceVerified` or packets
   * of the peer; then `onVerified` is called. Later, audio to an address that is not the source is bounded until packets come
   * from there, in this call and in all calls together. While it is silenced, the leg is on hold.
   */
  distrustSource(events: LegEvents, onVerified: () => void): void {
    this.#isSourceTrusted = false;
    this.#media.onSourceVerification((result) => {
      if (result === 'verified') return this.sourceVerified(onVerified);
      if (result === 'silenced' && this.#unanswered?.extend() === true) return this.#reconfigure();
      this.#isSilenced = result === 'silenced';
      this.reportHold(events);
    });
  }

  /** The peer sent its ACK, or packets. */
  sourceVerified(onVerified: () => void): void {
    if (this.#isSourceTrusted || this.#isSourceVerified) return;
    this.#isSourceVerified = true;
    this.#reconfigure();
    onVerified();
  }

  /** Reports a hold that began or ended with the last description: audio does not flow both ways (RFC 3264 §8.4). */
  reportHold(events: LegEvents): void {
    const isOnHold = this.#isOnHold || this.#isSilenced;
    if (isOnHold === this.#reportedHold) return;
    this.#reportedHold = isOnHold;
    events.emit({ type: isOnHold ? 'on_hold' : 'off_hold' });
  }

  /** Follows offers and DTMF within the dialog. */
  follow(dialog: SipDialog, events: LegEvents, onChanged: () => void): void {
    const changed = () => {
      onChanged();
      this.reportHold(events);
    };
    dialog.onDtmf(({ digit, durationMs }) => this.#media.receiveInfoDtmf(digit, durationMs));
    dialog.onOffer((offer) => {
      const answer = this.answer(offer);
      if ('sdp' in answer) changed();
      return answer;
    });
    dialog.onLateOffer({
      offer: () => this.offer(),
      answered: (answer) => {
        if (this.readAnswer(answer)) return changed();
        // The peer took our offer and answered without a codec of ours: there is no audio (RFC 3261 §14.1).
        events.emit({ type: 'ended', cause: 'sip_error', detail: 'the SDP answer to our re-offer could not be used' });
        void dialog.bye();
      },
    });
  }

  #reconfigure(): void {
    if (this.#session !== null) this.#configure(this.#session);
  }

  #configure(session: RtpParameters): void {
    this.#session = session;
    this.#media.configure({ ...session, ...this.#doubtAbout(session) });
    this.#isOnHold = session.direction !== 'sendrecv';
  }

  #doubtAbout({ remoteAddress }: RtpParameters): Pick<RtpParameters, 'sourceUnverified' | 'unansweredMsMax'> {
    if (this.#isSourceTrusted || this.#unanswered === null) return {};
    if (!this.#isSourceVerified) return { sourceUnverified: true };
    if (remoteAddress === this.#sourceAddress) return {};
    return { unansweredMsMax: this.#unanswered.msMaxFor(remoteAddress) };
  }
}

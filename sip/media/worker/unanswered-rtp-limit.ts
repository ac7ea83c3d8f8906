import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import { PACKET_INTERVAL_MS } from '../send/pacer.ts';
import type { SourceVerification } from '../source-verification.ts';

/**
 * Bounds what is sent to addresses from which no packet has come (`unansweredMsMax`). The bound holds for the whole session:
 * otherwise each new SDP could name another victim. Time without a bound does not count.
 */
export class UnansweredRtpLimit {
  readonly #report: (result: SourceVerification) => void;
  #unansweredMs = 0;
  #isSilenced = false;

  constructor(report: (result: SourceVerification) => void) {
    this.#report = report;
  }

  /**
   * Called for each packet interval.
   * @param isLatched packets have come from the address that we send to
   * @returns whether this interval may be used
   */
  allows({ unansweredMsMax }: RtpParameters, isLatched: boolean): boolean {
    const isBounded = unansweredMsMax !== undefined && !isLatched;
    const isSilenced = isBounded && this.#unansweredMs >= unansweredMsMax;
    if (isSilenced !== this.#isSilenced) this.#report(isSilenced ? 'silenced' : 'resumed');
    this.#isSilenced = isSilenced;
    if (isBounded && !isSilenced) this.#unansweredMs += PACKET_INTERVAL_MS;
    return !isSilenced;
  }
}

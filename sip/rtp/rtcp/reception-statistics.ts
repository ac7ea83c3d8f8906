import type { RtpSource } from '../reception/rtp-source.ts';
import type { ReportBlock } from './rtcp-packet.ts';

/** Bounds of the 24-bit signed count of lost packets (RFC 3550 §6.4.1). */
const LOST_MAX = 0x7fffff;
const LOST_MIN = -0x800000;

/** Computes the report block of one source: interarrival jitter (RFC 3550 §A.8) and loss (§A.3). */
export class ReceptionStatistics {
  readonly #source: RtpSource;
  #transit = 0;
  #hasTransit = false;
  #lastTimestamp = 0;
  /** The estimate times 16, in timestamp units, as in the integer form of §A.8. */
  #scaledJitter = 0;
  #expectedPrior = 0;
  #receivedPrior = 0;

  constructor(source: RtpSource) {
    this.#source = source;
  }

  /** Takes a packet that the source accepted. `arrivalMs` is monotonic. */
  update(timestamp: number, arrivalMs: number): void {
    // The packets of one telephone event share a timestamp; only the first one measures the network.
    if (this.#hasTransit && timestamp === this.#lastTimestamp) return;
    this.#lastTimestamp = timestamp;
    const arrival = Math.round((arrivalMs * this.#source.clockRate) / 1000);
    const transit = (arrival - timestamp) | 0;
    if (this.#hasTransit) {
      const difference = (transit - this.#transit) | 0;
      this.#scaledJitter += Math.abs(difference) - ((this.#scaledJitter + 8) >> 4);
    }
    this.#transit = transit;
    this.#hasTransit = true;
  }

  /** The source restarted. */
  reset(): void {
    this.#hasTransit = false;
    this.#scaledJitter = 0;
    this.#expectedPrior = 0;
    this.#receivedPrior = 0;
  }

  /** In timestamp units. */
  get jitter(): number {
    return this.#scaledJitter >> 4;
  }

  /** Expected packets that did not arrive; negative if duplicates outnumber losses. */
  get lost(): number {
    return this.expected - this.#source.received;
  }

  /** Packets expected since the stream began. */
  get expected(): number {
    return this.#source.cycles + this.#source.maxSequence - this.#source.baseSequence + 1;
  }

  /** In ms. */
  get jitterMs(): number {
    return (this.jitter * 1000) / this.#source.clockRate;
  }

  /**
   * Returns the block for the next report, and starts the next interval.
   * @param lastSenderReport the middle 32 bits of the source's last NTP timestamp, 0 without one.
   * @param delaySinceLastSenderReport in 1/65536 s.
   */
  report(lastSenderReport: number, delaySinceLastSenderReport: number): ReportBlock {
    const { expected } = this;
    const expectedInterval = expected - this.#expectedPrior;
    const lostInterval = expectedInterval - (this.#source.received - this.#receivedPrior);
    this.#expectedPrior = expected;
    this.#receivedPrior = this.#source.received;
    const lossy = expectedInterval > 0 && lostInterval > 0;
    return {
      ssrc: this.#source.ssrc,
      fractionLost: lossy ? Math.min(Math.floor((lostInterval << 8) / expectedInterval), 255) : 0,
      cumulativeLost: Math.max(LOST_MIN, Math.min(LOST_MAX, expected - this.#source.received)),
      highestSequence: this.#source.extendedMaxSequence,
      jitter: this.jitter,
      lastSenderReport,
      delaySinceLastSenderReport,
    };
  }
}

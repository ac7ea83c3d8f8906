import type { RtpPacket } from '../packet/rtp-packet.ts';
import { timestampDistance } from '../packet/sequence-arithmetic.ts';

/**
 * The result for a packet of the latched peer. `accepted`: part of the stream, in order, after a gap, late or a
 * duplicate. `restarted`: the stream starts again with this packet, so all state of earlier packets must be reset. That
 * is the first packet, another SSRC, another run of sequence numbers, or a jump of timestamps. `dropped`: invalid so far.
 */
export type RtpSourceResult = 'accepted' | 'restarted' | 'dropped';

/** The header fields by which a packet is validated. */
type StreamPosition = Pick<RtpPacket, 'ssrc' | 'sequence' | 'timestamp'>;

/** A gap up to this number of packets is loss, 60 s at 20 ms (RFC 3550 A.1). */
const DROPOUT_PACKETS_MAX = 3000;
/** A packet that is late by at most this many is reordered; a later one belongs to another stream (RFC 3550 A.1). */
const MISORDER_PACKETS_MAX = 100;
/**
 * A larger difference between timestamps and arrival times counts as a jump. Longer than any delay that a call
 * survives. Pauses with comfort noise are no jump, since both clocks advance.
 */
const TIMESTAMP_JUMP_MS = 2000;
const SEQUENCE_MODULUS = 0x10000;
const NO_SEQUENCE = -1;

/**
 * Validates the packets of one source (RFC 3550 §A.1). The first SSRC needs no probation, since its address is known from
 * signalling. A later SSRC is accepted at its second packet in a row, only while the old SSRC is silent.
 */
export class RtpSource {
  ssrc = 0;
  /** Packets accepted since the stream started. */
  received = 0;
  /** Total number of dropped packets. */
  dropped = 0;
  /** Restarts of the stream. */
  restarts = 0;
  /** Total number of runs of sequence numbers. `received` and the counters below refer to the last run. */
  runs = 0;
  baseSequence = 0;
  maxSequence = 0;
  /** Wraps of the sequence number, times 65,536. */
  cycles = 0;
  /** The payload's clock rate, in Hz. Changed only when the stream restarts. */
  clockRate: number;
  #started = false;
  #badSequence = NO_SEQUENCE;
  #candidateSsrc = 0;
  #candidateSequence = NO_SEQUENCE;
  #lastTimestamp = 0;
  #lastArrivalMs = 0;

  /** @param clockRate of the payload, in Hz. */
  constructor(clockRate: number) {
    this.clockRate = clockRate;
  }

  /** Judges the next packet. `arrivalMs` is monotonic. */
  receive(packet: StreamPosition, arrivalMs: number): RtpSourceResult {
    if (!this.#started) return this.#begin(packet, arrivalMs);
    if (packet.ssrc !== this.ssrc) return this.#receiveOther(packet, arrivalMs);
    this.#candidateSequence = NO_SEQUENCE;
    const ahead = (packet.sequence - this.maxSequence) & 0xffff;
    if (ahead < DROPOUT_PACKETS_MAX) {
      if (packet.sequence < this.maxSequence) this.cycles += SEQUENCE_MODULUS;
      this.maxSequence = packet.sequence;
    } else if (ahead <= SEQUENCE_MODULUS - MISORDER_PACKETS_MAX) {
      // Two consecutive packets after a large jump: the peer restarted its sequence numbers.
      if (packet.sequence === this.#badSequence) return this.#restart(packet, arrivalMs);
      this.#badSequence = (packet.sequence + 1) & 0xffff;
      this.dropped++;
      return 'dropped';
    } else {
      this.received++;
      return 'accepted';
    }
    return this.#follow(packet, arrivalMs);
  }

  /** Ends the stream: the next packet of any SSRC starts a new one. For a new SDP or a new latch. */
  reset(): void {
    this.#started = false;
  }

  /** Highest sequence number seen, with the wraps in the upper 16 bits; 32 bits, unsigned (RFC 3550 §6.4.1). */
  get extendedMaxSequence(): number {
    return (this.cycles + this.maxSequence) >>> 0;
  }

  #receiveOther(packet: StreamPosition, arrivalMs: number): RtpSourceResult {
    if (packet.ssrc === this.#candidateSsrc && packet.sequence === this.#candidateSequence) {
      return this.#restart(packet, arrivalMs);
    }
    this.#candidateSsrc = packet.ssrc;
    this.#candidateSequence = (packet.sequence + 1) & 0xffff;
    this.dropped++;
    return 'dropped';
  }

  #follow(packet: StreamPosition, arrivalMs: number): RtpSourceResult {
    this.received++;
    // All packets of a telephone event have the timestamp of its start. The clock is compared again with later audio.
    if (packet.timestamp === this.#lastTimestamp) return 'accepted';
    const mediaMs = (timestampDistance(packet.timestamp, this.#lastTimestamp) * 1000) / this.clockRate;
    const jumped = Math.abs(mediaMs - (arrivalMs - this.#lastArrivalMs)) > TIMESTAMP_JUMP_MS;
    this.#lastTimestamp = packet.timestamp;
    this.#lastArrivalMs = arrivalMs;
    if (!jumped) return 'accepted';
    this.restarts++;
    return 'restarted';
  }

  #restart(packet: StreamPosition, arrivalMs: number): RtpSourceResult {
    this.restarts++;
    return this.#begin(packet, arrivalMs);
  }

  #begin(packet: StreamPosition, arrivalMs: number): RtpSourceResult {
    this.#started = true;
    this.runs++;
    this.ssrc = packet.ssrc;
    this.baseSequence = packet.sequence;
    this.maxSequence = packet.sequence;
    this.cycles = 0;
    this.received = 1;
    this.#badSequence = NO_SEQUENCE;
    this.#candidateSequence = NO_SEQUENCE;
    this.#lastTimestamp = packet.timestamp;
    this.#lastArrivalMs = arrivalMs;
    return 'restarted';
  }
}

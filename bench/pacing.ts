import { sequenceDistance, timestampDistance } from '../sip/rtp/packet/sequence-arithmetic.ts';

const SAMPLES_PER_MS = 8;
/** Packets whose deviation is kept: ten minutes. Later packets only count as received. */
const DEVIATIONS_MAX = 30_000;

/**
 * The pacing of one received stream: the deviation of each arrival from the grid of the stream's RTP timestamps. The
 * deviations do not show a slow sender clock; compare `received` with the number of due packets.
 */
export class Pacing {
  received = 0;
  /** Sequence numbers that did not arrive. */
  missing = 0;
  #deviationsMs: number[] = [];
  #firstMs = 0;
  #firstTimestamp = 0;
  #lastSequence = 0;

  add(nowMs: number, sequence: number, timestamp: number): void {
    if (this.received === 0) {
      this.#firstMs = nowMs;
      this.#firstTimestamp = timestamp;
    } else this.missing += sequenceDistance(sequence, this.#lastSequence) - 1;
    this.#lastSequence = sequence;
    this.received++;
    const dueMs = this.#firstMs + timestampDistance(timestamp, this.#firstTimestamp) / SAMPLES_PER_MS;
    if (this.#deviationsMs.length < DEVIATIONS_MAX) this.#deviationsMs.push(nowMs - dueMs);
  }

  /** Distance of each arrival from the stream's median, ms. Clears the deviations; the grid stays. */
  takeDeviations(): readonly number[] {
    const median = Float64Array.from(this.#deviationsMs).sort()[this.#deviationsMs.length >> 1] ?? 0;
    const deviations = this.#deviationsMs.map((deviation) => Math.abs(deviation - median));
    this.#deviationsMs = [];
    return deviations;
  }
}

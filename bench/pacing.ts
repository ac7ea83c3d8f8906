import { sequenceDistance, timestampDistance } from '../sip/rtp/packet/sequence-arithmetic.ts';

const SAMPLES_PER_MS = 8;
/** Of a stream's packets: ten minutes. What comes later is counted, but not in the deviations. */
const DEVIATIONS_MAX = 30_000;

/**
 * How evenly one stream comes: each arrival against the stream's own grid, which its RTP timestamps make. A slow clock
 * hides in a median, so `received` is to be held against what was due.
 */
export class Pacing {
  received = 0;
  /** Sequence numbers that did not come. */
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

  /** Distance of each arrival from the stream's median, in ms; forgets everything but the stream's place. */
  takeDeviations(): readonly number[] {
    const median = Float64Array.from(this.#deviationsMs).sort()[this.#deviationsMs.length >> 1] ?? 0;
    const deviations = this.#deviationsMs.map((deviation) => Math.abs(deviation - median));
    this.#deviationsMs = [];
    return deviations;
  }
}

import { BRIDGE_DELAY, JitterBuffer } from '../../rtp/jitter-buffer/jitter-buffer.ts';

/** What a leg sends in the place of the agent's audio. */
export interface PlayedSource {
  readonly rateHz: 8_000 | 16_000;
  /** Writes the next 20 ms to `out[at]` on. Called once a tick, sent or not. */
  fill(out: Int16Array, at: number): void;
}

/**
 * One way of a bridge: what one leg's peer says, re-timed by a jitter buffer for the other's. It goes through linear
 * samples, for gaps are concealed in them: a code of either law of G.711 that is decoded and encoded again is the same
 * sample, so between two legs of one law nothing is lost. They are at 16 kHz where both legs speak wideband. Keys go as keys.
 */
export class Relay implements PlayedSource {
  readonly rateHz: 8_000 | 16_000;
  readonly #jitter: JitterBuffer;
  /** A key was let go: the other side is to hear it as an event of its own (RFC 4733). */
  readonly press: (digit: string) => void;

  constructor(rateHz: 8_000 | 16_000, press: (digit: string) => void) {
    this.rateHz = rateHz;
    this.#jitter = new JitterBuffer(BRIDGE_DELAY, rateHz);
    this.press = press;
  }

  /** `length` samples of the relay's rate; here and below, timestamps are at 8 kHz. */
  push(timestamp: number, samples: Int16Array, length: number): void {
    this.#jitter.push(this.#own(timestamp), samples, length);
  }

  /** Comfort noise, `level` dB below full scale, from there on. */
  silence(timestamp: number, level: number): void {
    this.#jitter.pushComfortNoise(this.#own(timestamp), level);
  }

  /** The stream began anew. */
  restart(): void {
    this.#jitter.reset();
  }

  fill(out: Int16Array, at: number): void {
    this.#jitter.pull(out, at);
  }

  #own(timestamp: number): number {
    return (timestamp * (this.rateHz / 8_000)) >>> 0;
  }
}

import { BRIDGE_DELAY, JitterBuffer } from '../rtp/jitter-buffer.ts';

/** What a leg sends in the place of the agent's audio. */
export interface PlayedSource {
  /** Writes the next 20 ms, 160 samples at 8 kHz, to `out[at]` on. Called once a tick, sent or not. */
  fill(out: Int16Array, at: number): void;
}

/**
 * One way of a bridge: what one leg's peer says, re-timed by a jitter buffer for the other's. It goes through linear
 * samples at 8 kHz, for gaps are concealed in them: a code of either law of G.711 that is decoded and encoded again is the
 * same sample, so between two legs of one law nothing is lost; of a wideband codec nothing above 4 kHz goes across. Keys go
 * as keys.
 */
export class Relay implements PlayedSource {
  private readonly jitter = new JitterBuffer(BRIDGE_DELAY);
  /** A key was let go: the other side is to hear it as an event of its own (RFC 4733). */
  readonly press: (digit: string) => void;

  constructor(press: (digit: string) => void) {
    this.press = press;
  }

  push(timestamp: number, samples: Int16Array, length: number): void {
    this.jitter.push(timestamp, samples, length);
  }

  /** Comfort noise, `level` dB below full scale, from there on. */
  silence(timestamp: number, level: number): void {
    this.jitter.pushComfortNoise(timestamp, level);
  }

  /** The stream began anew. */
  restart(): void {
    this.jitter.reset();
  }

  fill(out: Int16Array, at: number): void {
    this.jitter.pull(out, at);
  }
}

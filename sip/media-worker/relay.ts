import { encodeAlaw, encodeMulaw } from '../rtp/g711.ts';
import { BRIDGE_DELAY, JitterBuffer, PLAYOUT_FRAME_SAMPLES } from '../rtp/jitter-buffer.ts';

/** What a leg sends in the place of the agent's audio. */
export interface PlayedSource {
  /** Writes the next 20 ms to `out[at]`, in the law of the wire. Called once a tick, sent or not. */
  fill(out: Uint8Array, at: number, alaw: boolean): void;
}

/**
 * One way of a bridge: what one leg's peer says, re-timed by a jitter buffer for the other's. It goes through linear
 * samples, for gaps are concealed in them; a code of either law that is decoded and encoded again is the same sample, so
 * between two legs of one law nothing is lost, and between two of different ones what their conversion costs. Keys go as
 * keys.
 */
export class Relay implements PlayedSource {
  private readonly jitter = new JitterBuffer(BRIDGE_DELAY);
  private readonly samples = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  /** A key was let go: the other side is to hear it as an event of its own (RFC 4733). */
  readonly press: (digit: string) => void;

  constructor(press: (digit: string) => void) {
    this.press = press;
  }

  push(timestamp: number, samples: Int16Array, length: number): void {
    this.jitter.push(timestamp, samples, length);
  }

  silence(timestamp: number): void {
    this.jitter.pushComfortNoise(timestamp);
  }

  /** The stream began anew. */
  restart(): void {
    this.jitter.reset();
  }

  fill(out: Uint8Array, at: number, alaw: boolean): void {
    this.jitter.pull(this.samples);
    const encode = alaw ? encodeAlaw : encodeMulaw;
    encode(this.samples, 0, PLAYOUT_FRAME_SAMPLES, out, at);
  }
}

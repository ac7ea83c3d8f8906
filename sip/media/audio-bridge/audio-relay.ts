import { BRIDGE_DELAY, JitterBuffer } from '../../rtp/jitter-buffer/jitter-buffer.ts';

/** Audio that a leg sends instead of the agent's. */
export interface ReplacementAudio {
  readonly rateHz: 8_000 | 16_000;
  /** Writes the next 20 ms to `out[at]` on. Called once a tick, sent or not. */
  fill(out: Int16Array, at: number): void;
}

/**
 * One direction of a bridge: the audio of one leg's peer, re-timed by a jitter buffer for the other's. Linear samples
 * allow concealment, and between two legs of one G.711 law they lose nothing: decoding and encoding returns the same
 * code. 16 kHz where both legs are wideband. DTMF goes as digits.
 */
export class AudioRelay implements ReplacementAudio {
  readonly rateHz: 8_000 | 16_000;
  readonly #jitter: JitterBuffer;
  /** A DTMF digit ended: the other side is sent it as an event of its own (RFC 4733). */
  readonly relayDigit: (digit: string) => void;

  constructor(rateHz: 8_000 | 16_000, press: (digit: string) => void) {
    this.rateHz = rateHz;
    this.#jitter = new JitterBuffer(BRIDGE_DELAY, rateHz);
    this.relayDigit = press;
  }

  /** `length` samples at the relay's rate. All timestamps here are at 8 kHz. */
  push(timestamp: number, samples: Int16Array, length: number): void {
    this.#jitter.push(this.#relayTime(timestamp), samples, length);
  }

  /** Comfort noise, `level` dB below full scale, from there on. */
  pushComfortNoise(timestamp: number, level: number): void {
    this.#jitter.pushComfortNoise(this.#relayTime(timestamp), level);
  }

  /** The stream restarted. */
  restart(): void {
    this.#jitter.reset();
  }

  fill(out: Int16Array, at: number): void {
    this.#jitter.pull(out, at);
  }

  #relayTime(timestamp: number): number {
    return (timestamp * (this.rateHz / 8_000)) >>> 0;
  }
}

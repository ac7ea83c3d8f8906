import { BRIDGE_DELAY, JitterBuffer } from '../../rtp/jitter-buffer/jitter-buffer.ts';

/** Audio that a session sends instead of the agent's: the bridged peer's, or a ringing tone. */
export interface ReplacementAudio {
  readonly rateHz: 8_000 | 16_000;
  /** Writes the next 20 ms to `out[at]` and after. Called in every tick, even if nothing is sent. */
  fill(out: Int16Array, at: number): void;
}

/**
 * One direction of a bridge: the audio of one peer, re-timed by a jitter buffer for the other peer. Linear samples
 * allow concealment. Between two sessions of the same G.711 law they lose nothing: decoding and encoding returns the
 * same code. The rate is 16 kHz if both sessions are wideband. DTMF is relayed as digits.
 */
export class AudioRelay implements ReplacementAudio {
  readonly rateHz: 8_000 | 16_000;
  readonly #jitter: JitterBuffer;
  /** A DTMF digit of the source's peer ended. The listener's session sends it as its own event (RFC 4733). */
  readonly relayDigit: (digit: string) => void;

  constructor(rateHz: 8_000 | 16_000, press: (digit: string) => void) {
    this.rateHz = rateHz;
    this.#jitter = new JitterBuffer(BRIDGE_DELAY, rateHz);
    this.relayDigit = press;
  }

  /** Takes `length` samples at the relay's rate. `timestamp` counts at 8 kHz. */
  push(timestamp: number, samples: Int16Array, length: number): void {
    this.#jitter.push(this.#relayTime(timestamp), samples, length);
  }

  /** Plays comfort noise, `level` dB below full scale, from `timestamp` on. */
  pushComfortNoise(timestamp: number, level: number): void {
    this.#jitter.pushComfortNoise(this.#relayTime(timestamp), level);
  }

  /** The peer's stream restarted. */
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

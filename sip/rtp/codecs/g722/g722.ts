import { Band, HIGH_BAND, LOW_BAND } from './band.ts';
import { BandJoin, BandSplit } from './quadrature-mirror.ts';
import {
  coarseLowDifference,
  highDifference,
  highWeight,
  lowDifference,
  lowWeight,
  quantiseHigh,
  quantiseLow,
} from './quantiser.ts';
import { saturate } from './saturate.ts';

/**
 * ITU-T G.722 at 64 kbit/s: 16 kHz linear samples, one octet for two samples. Its RTP clock runs at 8 kHz (RFC 3551
 * §4.5.2). Encoder and decoder keep state, so each stream needs its own object. Allocates nothing per packet.
 */
export const G722_SAMPLES_PER_OCTET = 2;

/** The limits of the low band's reconstruction (LIMIT). */
const LOW_MAX = 16_383;
const LOW_MIN = -16_384;

export class G722Encoder {
  readonly #split = new BandSplit();
  readonly #low = new Band(LOW_BAND);
  readonly #high = new Band(HIGH_BAND);

  /** Encodes `samples` samples, an even number, starting at `from[offset]`. Writes the octets from `into[at]` on. */
  encode(from: Int16Array, offset: number, samples: number, into: Uint8Array, at = 0): void {
    const split = this.#split;
    const low = this.#low;
    const high = this.#high;
    for (let i = 0; i + 1 < samples; i += G722_SAMPLES_PER_OCTET) {
      split.step(from[offset + i] ?? 0, from[offset + i + 1] ?? 0);
      const lowCode = quantiseLow(saturate(split.low - low.predicted), low.scale);
      adaptLow(low, lowCode);
      const highCode = quantiseHigh(saturate(split.high - high.predicted), high.scale);
      adaptHigh(high, highCode);
      into[at + (i >> 1)] = (highCode << 6) | lowCode;
    }
  }
}

export class G722Decoder {
  readonly #join = new BandJoin();
  readonly #low = new Band(LOW_BAND);
  readonly #high = new Band(HIGH_BAND);

  /** Decodes `octets` octets, starting at `from[offset]`. Writes twice as many samples from `into[at]` on. */
  decode(from: Uint8Array, offset: number, octets: number, into: Int16Array, at = 0): void {
    const join = this.#join;
    const low = this.#low;
    const high = this.#high;
    for (let i = 0; i < octets; i++) {
      const code = from[offset + i] ?? 0;
      const lowSample = limited(low.predicted + lowDifference(code, low.scale));
      adaptLow(low, code);
      const highCode = code >> 6;
      const highSample = limited(high.predicted + highDifference(highCode, high.scale));
      adaptHigh(high, highCode);
      join.step(lowSample, highSample);
      into[at + 2 * i] = join.first;
      into[at + 2 * i + 1] = join.second;
    }
  }
}

function adaptLow(band: Band, code: number): void {
  const difference = coarseLowDifference(code, band.scale);
  band.adaptScale(lowWeight(code));
  band.adaptPredictor(difference);
}

function adaptHigh(band: Band, code: number): void {
  const difference = highDifference(code, band.scale);
  band.adaptScale(highWeight(code));
  band.adaptPredictor(difference);
}

function limited(sample: number): number {
  return sample > LOW_MAX ? LOW_MAX : sample < LOW_MIN ? LOW_MIN : sample;
}

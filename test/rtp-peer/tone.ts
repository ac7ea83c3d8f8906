/** The part of one frequency in a piece of audio. */
export interface ToneMeasure {
  /** Root mean square at that frequency, in 16-bit sample units. */
  readonly level: number;
  /** Share of the total energy, 0–1: near 1 for a pure tone of that frequency. */
  readonly share: number;
}

/** Measures one frequency in audio by Goertzel's algorithm. */
export function measureTone(samples: Int16Array, frequencyHz: number, sampleRateHz = 8000): ToneMeasure {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz);
  let last = 0;
  let beforeLast = 0;
  for (const sample of samples) {
    const now = sample + coefficient * last - beforeLast;
    beforeLast = last;
    last = now;
  }
  const power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast;
  const level = samples.length === 0 ? 0 : Math.sqrt(2 * Math.max(power, 0)) / samples.length;
  const whole = rootMeanSquare(samples);
  return { level, share: whole === 0 ? 0 : Math.min((level / whole) ** 2, 1) };
}

/** Root mean square of the samples, in 16-bit units. */
export function rootMeanSquare(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}

/** Root mean square of a tone whose peaks are at half of full scale. */
const HALF_SCALE_LEVEL = 16_000 / Math.SQRT2;

/** A pure tone; `level` is its root mean square. */
export function makeTone(frequencyHz: number, durationMs: number, level = 4000, sampleRateHz = 8000): Int16Array {
  const length = Math.round((durationMs * sampleRateHz) / 1000);
  return Int16Array.from({ length }, (_, i) =>
    Math.round(level * Math.SQRT2 * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz)),
  );
}

/** A pure tone of this number of samples, at half of full scale. */
export function toneOfSamples(frequencyHz: number, samples: number, sampleRateHz = 8000): Int16Array {
  return makeTone(frequencyHz, (1000 * samples) / sampleRateHz, HALF_SCALE_LEVEL, sampleRateHz);
}

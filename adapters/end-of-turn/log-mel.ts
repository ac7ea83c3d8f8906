import { Fourier } from './fourier.ts';

/**
 * Log-mel features as Whisper computes them, for 8 s of audio: the input of Smart Turn v3
 * (https://huggingface.co/pipecat-ai/smart-turn-v3, https://github.com/openai/whisper/blob/main/whisper/audio.py).
 */
export const FEATURE_RATE_HZ = 16_000;
/** Samples that the model hears, 8 s. */
export const FEATURE_SAMPLES = 8 * FEATURE_RATE_HZ;
export const MEL_BANDS = 80;
/** Window and hop, samples: 25 and 10 ms. */
const WINDOW = 400;
const HOP = 160;
export const FEATURE_FRAMES = FEATURE_SAMPLES / HOP;
const BINS = WINDOW / 2 + 1;
/** Smallest power before the logarithm, and the range that is kept below the loudest, in powers of ten. */
const POWER_MIN = 1e-10;
const RANGE = 8;
/** Added to the variance of the normalised audio. */
const VARIANCE_MIN = 1e-7;

/** Slaney's mel scale. */
const LINEAR_HZ = 200 / 3;
const LOGARITHMIC_FROM_HZ = 1_000;
const LOGARITHMIC_FROM_MEL = LOGARITHMIC_FROM_HZ / LINEAR_HZ;
const LOGARITHMIC_STEP = Math.log(6.4) / 27;

const FOURIER = new Fourier(WINDOW);
const HANN = Float64Array.from({ length: WINDOW }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / WINDOW));
const FILTERS = melFilters();

/**
 * The features of the last 8 s, `MEL_BANDS` rows of `FEATURE_FRAMES`. Shorter audio is padded with zeros at its
 * beginning.
 *
 * @param samples −1 to 1, at `FEATURE_RATE_HZ`
 */
export function logMelFeatures(samples: Float32Array): Float32Array {
  const audio = new Float64Array(FEATURE_SAMPLES);
  const kept = samples.subarray(Math.max(0, samples.length - FEATURE_SAMPLES));
  audio.set(kept, FEATURE_SAMPLES - kept.length);
  normalise(audio);
  const features = new Float32Array(MEL_BANDS * FEATURE_FRAMES);
  const [real, imaginary] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  const [outReal, outImaginary] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  const power = new Float64Array(BINS);
  let loudest = Number.NEGATIVE_INFINITY;
  // Two frames in one transform: one is its real part, the other its imaginary part.
  const paddedFrames = Math.floor((FEATURE_SAMPLES - kept.length - WINDOW / 2) / HOP);
  for (let frame = 0; frame < FEATURE_FRAMES; frame += 2) {
    // All frames within the padding are equal.
    if (frame > 0 && frame + 1 < paddedFrames) {
      copyFirstFrames(features, frame);
      continue;
    }
    windowed(audio, frame, real);
    windowed(audio, frame + 1, imaginary);
    FOURIER.transform(real, imaginary, outReal, outImaginary);
    for (const part of [0, 1] as const) {
      powerOf(outReal, outImaginary, part, power);
      loudest = Math.max(loudest, writeFrame(power, features, frame + part));
    }
  }
  const least = loudest - RANGE;
  for (let at = 0; at < features.length; at++) features[at] = (Math.max(features[at] ?? 0, least) + 4) / 4;
  return features;
}

function copyFirstFrames(features: Float32Array, frame: number): void {
  for (let at = 0; at < features.length; at += FEATURE_FRAMES) features.copyWithin(at + frame, at, at + 2);
}

/** Zero mean and unit variance. */
function normalise(audio: Float64Array): void {
  const mean = audio.reduce((sum, sample) => sum + sample, 0) / audio.length;
  const variance = audio.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / audio.length;
  const scale = 1 / Math.sqrt(variance + VARIANCE_MIN);
  for (let at = 0; at < audio.length; at++) audio[at] = ((audio[at] ?? 0) - mean) * scale;
}

/** The frame centred at `frame · HOP`; the audio is reflected at its ends. */
function windowed(audio: Float64Array, frame: number, into: Float64Array): void {
  const from = frame * HOP - WINDOW / 2;
  const last = audio.length - 1;
  for (let n = 0; n < WINDOW; n++) {
    const at = Math.abs(from + n);
    into[n] = (audio[at > last ? 2 * last - at : at] ?? 0) * (HANN[n] ?? 0);
  }
}

/** Power spectrum of the real (0) or the imaginary (1) signal of a joint transform. */
function powerOf(real: Float64Array, imaginary: Float64Array, part: 0 | 1, into: Float64Array): void {
  const sign = part === 0 ? 1 : -1;
  for (let bin = 0; bin < BINS; bin++) {
    const mirror = (WINDOW - bin) % WINDOW;
    const a = ((real[bin] ?? 0) + sign * (real[mirror] ?? 0)) / 2;
    const b = ((imaginary[bin] ?? 0) - sign * (imaginary[mirror] ?? 0)) / 2;
    into[bin] = a * a + b * b;
  }
}

/** Writes one column; returns its largest value. */
function writeFrame(power: Float64Array, features: Float32Array, frame: number): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const [band, { first, weights }] of FILTERS.entries()) {
    let sum = 0;
    for (let n = 0; n < weights.length; n++) sum += (power[first + n] ?? 0) * (weights[n] ?? 0);
    const value = Math.log10(Math.max(sum, POWER_MIN));
    features[band * FEATURE_FRAMES + frame] = value;
    largest = Math.max(largest, value);
  }
  return largest;
}

/** The non-zero part of a triangular filter. */
interface MelFilter {
  readonly first: number;
  readonly weights: Float64Array;
}

/** Slaney's mel scale: linear to 1 kHz, then logarithmic; each triangle has the same area. */
function melFilters(): readonly MelFilter[] {
  const top = melOf(FEATURE_RATE_HZ / 2);
  const edges = Array.from({ length: MEL_BANDS + 2 }, (_, n) => hertzOf((top * n) / (MEL_BANDS + 1)));
  return Array.from({ length: MEL_BANDS }, (_, band) => {
    const [low = 0, centre = 0, high = 0] = edges.slice(band, band + 3);
    const all = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * FEATURE_RATE_HZ) / WINDOW;
      const height = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const first = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    );
    return { first, weights: Float64Array.from(all.slice(first, all.findLastIndex((weight) => weight > 0) + 1)) };
  });
}

function melOf(hertz: number): number {
  if (hertz < LOGARITHMIC_FROM_HZ) return hertz / LINEAR_HZ;
  return LOGARITHMIC_FROM_MEL + Math.log(hertz / LOGARITHMIC_FROM_HZ) / LOGARITHMIC_STEP;
}

function hertzOf(mel: number): number {
  if (mel < LOGARITHMIC_FROM_MEL) return mel * LINEAR_HZ;
  return LOGARITHMIC_FROM_HZ * Math.exp(LOGARITHMIC_STEP * (mel - LOGARITHMIC_FROM_MEL));
}

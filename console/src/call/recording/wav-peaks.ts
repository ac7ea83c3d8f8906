/** Peaks per second: at ten pixels a second one for each half pixel. */
const PEAKS_PER_SECOND = 20;
/** Of the header that the recorder writes (RIFF, `fmt `, `data`). */
const HEADER_BYTES = 44;
const CHANNELS_AT = 22;
const RATE_AT = 24;
const SAMPLE_MAX = 32_768;

export interface WavPeaks {
  /** The user's and the agent's channel, each peak from 0 to 1. */
  readonly channels: readonly Float32Array[];
  readonly durationMs: number;
}

/**
 * The loudest sample of each twentieth of a second, straight from linear PCM: decoding half an hour in the browser would take
 * hundreds of megabytes.
 */
export function wavPeaks(wav: ArrayBuffer): WavPeaks {
  const header = new DataView(wav);
  const channelCount = header.getUint16(CHANNELS_AT, true);
  const rateHz = header.getUint32(RATE_AT, true);
  const samples = new Int16Array(wav, HEADER_BYTES, Math.floor((wav.byteLength - HEADER_BYTES) / 2));
  const frames = Math.floor(samples.length / channelCount);
  const framesPerPeak = Math.floor(rateHz / PEAKS_PER_SECOND);
  const channels = Array.from({ length: channelCount }, (_, channel) => {
    const peaks = new Float32Array(Math.ceil(frames / framesPerPeak));
    for (let frame = 0; frame < frames; frame++) {
      const level = Math.abs(samples[frame * channelCount + channel] ?? 0) / SAMPLE_MAX;
      const peak = Math.floor(frame / framesPerPeak);
      if (level > (peaks[peak] ?? 0)) peaks[peak] = level;
    }
    return peaks;
  });
  return { channels, durationMs: (frames / rateHz) * 1_000 };
}

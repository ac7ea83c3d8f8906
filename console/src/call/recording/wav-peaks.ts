/** Peaks per second: at ten pixels a second one for each half pixel. */
const PEAKS_PER_SECOND = 20;
/** Length of the header that the recorder writes (RIFF, `fmt `, `data`). */
const HEADER_BYTES = 44;
const CHANNELS_AT = 22;
const RATE_AT = 24;
const SAMPLE_MAX = 32_768;

export interface WavPeaks {
  /** The user's and the agent's channel, each peak from 0 to 1. */
  readonly channels: readonly Float32Array[];
  readonly durationMs: number;
}

/** Peaks that are computed in one task, a minute and a half: the page scrolls while half an hour is read. */
const PEAKS_PER_TASK = 1_800;

/**
 * The loudest sample of each twentieth of a second, straight from linear PCM: decoding half an hour in the browser would take
 * hundreds of megabytes.
 */
export async function wavPeaks(wav: ArrayBuffer): Promise<WavPeaks> {
  const header = new DataView(wav);
  const channelCount = header.getUint16(CHANNELS_AT, true);
  const rateHz = header.getUint32(RATE_AT, true);
  const samples = new Int16Array(wav, HEADER_BYTES, Math.floor((wav.byteLength - HEADER_BYTES) / 2));
  const frames = Math.floor(samples.length / channelCount);
  const framesPerPeak = Math.floor(rateHz / PEAKS_PER_SECOND);
  const count = Math.ceil(frames / framesPerPeak);
  const channels = Array.from({ length: channelCount }, () => new Float32Array(count));
  for (let peak = 0; peak < count; peak++) {
    if (peak % PEAKS_PER_TASK === PEAKS_PER_TASK - 1) await nextTask();
    const from = peak * framesPerPeak * channelCount;
    const part = samples.subarray(from, from + framesPerPeak * channelCount);
    for (const [channel, peaks] of channels.entries()) peaks[peak] = loudest(part, channel, channelCount);
  }
  return { channels, durationMs: (frames / rateHz) * 1_000 };
}

function loudest(samples: Int16Array, channel: number, channelCount: number): number {
  let maximum = 0;
  for (let at = channel; at < samples.length; at += channelCount) {
    const level = Math.abs(samples[at] ?? 0);
    if (level > maximum) maximum = level;
  }
  return maximum / SAMPLE_MAX;
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * How audio bytes are encoded. Every stream is mono.
 * `mulaw` and `alaw` are ITU-T G.711 (one byte per sample); `linear16` is signed 16-bit little-endian PCM.
 */
export interface AudioFormat {
  readonly encoding: 'mulaw' | 'alaw' | 'linear16';
  /** Samples per second: one of `LINEAR16_RATES_HZ`. G.711 is always 8000. */
  readonly sampleRateHz: number;
}

/** Sample rates at which linear16 can be played. */
export const LINEAR16_RATES_HZ: readonly number[] = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

export function bytesPerSample({ encoding }: Pick<AudioFormat, 'encoding'>): 1 | 2 {
  return encoding === 'linear16' ? 2 : 1;
}

/** Playing time of `byteLength` bytes in ms, not rounded. */
export function durationMs(format: AudioFormat, byteLength: number): number {
  return (byteLength / bytesPerSample(format) / format.sampleRateHz) * 1000;
}

/**
 * How audio bytes are to be read. Every stream is mono.
 * `mulaw` and `alaw` are ITU-T G.711 (one byte a sample); `linear16` is signed 16-bit little-endian PCM.
 */
export interface AudioFormat {
  readonly encoding: 'mulaw' | 'alaw' | 'linear16';
  /** Samples a second: 8000, 16000, 22050, 24000 or 48000. G.711 is always 8000. */
  readonly sampleRateHz: number;
}

export function bytesPerSample(format: AudioFormat): 1 | 2 {
  return format.encoding === 'linear16' ? 2 : 1;
}

/** How long `byteLength` bytes of this format play, in ms (not rounded). */
export function durationMs(format: AudioFormat, byteLength: number): number {
  return (byteLength / bytesPerSample(format) / format.sampleRateHz) * 1000;
}

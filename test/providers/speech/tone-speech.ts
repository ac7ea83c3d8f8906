/** Frequency of the emulated voice. Tests measure it to identify the speaker. */
export const EMULATED_VOICE_HZ = 440;
const AMPLITUDE = 8_000;

const cache = new Map<string, Buffer>();

/** One second of the tone, cached by format. It has 440 whole periods, so it repeats without a click. */
export function toneSecond(encoding: string, sampleRateHz: number): Buffer {
  const key = `${encoding}/${sampleRateHz}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const linear = encoding === 'linear16';
  const tone = Buffer.alloc(sampleRateHz * (linear ? 2 : 1));
  for (let n = 0; n < sampleRateHz; n++) {
    const sample = Math.round(AMPLITUDE * Math.sin((2 * Math.PI * EMULATED_VOICE_HZ * n) / sampleRateHz));
    if (linear) tone.writeInt16LE(sample, n * 2);
    else tone[n] = encoding === 'alaw' ? alaw(sample) : mulaw(sample);
  }
  cache.set(key, tone);
  return tone;
}

/** The tone, `durationMs` long. */
export function toneBytes(encoding: string, sampleRateHz: number, durationMs: number): Buffer {
  const second = toneSecond(encoding, sampleRateHz);
  const bytes = Math.round((durationMs / 1000) * sampleRateHz) * (encoding === 'linear16' ? 2 : 1);
  const out = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += second.length) second.copy(out, at, 0, Math.min(second.length, bytes - at));
  return out;
}

/** ITU-T G.711 mu-law, 14-bit magnitude with a bias of 33. */
function mulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample) >> 2, 8_158) + 33;
  const exponent = 31 - Math.clz32(magnitude) - 5;
  const mantissa = (magnitude >> (exponent + 1)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

/** ITU-T G.711 A-law, 13-bit. */
function alaw(sample: number): number {
  const magnitude = Math.min((sample < 0 ? -sample - 1 : sample) >> 4, 2_047);
  const exponent = magnitude < 32 ? (magnitude < 16 ? 0 : 1) : 31 - Math.clz32(magnitude) - 3;
  const mantissa = exponent < 2 ? magnitude & 0x0f : (magnitude >> (exponent - 1)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55;
}

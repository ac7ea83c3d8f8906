import type { AudioFormat } from '../../engine/ports/audio-format.ts';

/** ITU-T G.711: the magnitude of every mu-law code is raised by so much before it is cut into segments. */
const MULAW_BIAS = 0x84;
/** ITU-T G.711: every other bit of an A-law code is inverted on the line. */
const ALAW_INVERSION = 0x55;

const mulaw = Int16Array.from({ length: 256 }, (_, code) => expandMulaw(code));
const alaw = Int16Array.from({ length: 256 }, (_, code) => expandAlaw(code));

/** 16-bit samples of audio in any format; `audio` holds whole ones. */
export function linearSamples({ encoding }: AudioFormat, audio: Uint8Array): Int16Array<ArrayBuffer> {
  switch (encoding) {
    case 'mulaw':
      return expanded(mulaw, audio);
    case 'alaw':
      return expanded(alaw, audio);
    case 'linear16': {
      // Copied: the bytes may lie at an odd address. Every machine that this runs on is little-endian.
      const samples = new Int16Array(audio.length >> 1);
      new Uint8Array(samples.buffer).set(audio.subarray(0, samples.byteLength));
      return samples;
    }
  }
}

/** A loop of its own: `Int16Array.from` asks an iterator for every sample, which takes ten times as long. */
function expanded(table: Int16Array, codes: Uint8Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(codes.length);
  for (let n = 0; n < codes.length; n++) samples[n] = table[codes[n] ?? 0] ?? 0;
  return samples;
}

function expandMulaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + MULAW_BIAS) << ((bits & 0x70) >> 4)) - MULAW_BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
}

function expandAlaw(code: number): number {
  const bits = code ^ ALAW_INVERSION;
  const segment = (bits & 0x70) >> 4;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

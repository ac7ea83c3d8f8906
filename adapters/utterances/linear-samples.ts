import type { AudioFormat } from '../../engine/ports/audio-format.ts';

/** ITU-T G.711: the magnitude of every mu-law code is raised by so much before it is cut into segments. */
const MULAW_BIAS = 0x84;
/** ITU-T G.711: every other bit of an A-law code is inverted on the line. */
const ALAW_INVERSION = 0x55;

const mulaw = Int16Array.from({ length: 256 }, (_, code) => expandMulaw(code));
const alaw = Int16Array.from({ length: 256 }, (_, code) => expandAlaw(code));

/** 16-bit samples of audio in any format; `audio` holds whole ones. */
export function linearSamples({ encoding }: AudioFormat, audio: Uint8Array): Int16Array {
  switch (encoding) {
    case 'mulaw':
      return Int16Array.from(audio, (code) => mulaw[code] ?? 0);
    case 'alaw':
      return Int16Array.from(audio, (code) => alaw[code] ?? 0);
    case 'linear16': {
      const view = new DataView(audio.buffer, audio.byteOffset, audio.byteLength);
      return Int16Array.from({ length: audio.length >> 1 }, (_, n) => view.getInt16(n * 2, true));
    }
  }
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

import type { AudioFormat } from './audio-format.ts';
import { decodeAlaw, decodeMulaw } from './g711.ts';

/** Audio of any format as 16-bit samples. `audio` holds whole samples; an odd byte at the end of linear16 is left out. */
export function linearSamples({ encoding }: AudioFormat, audio: Uint8Array): Int16Array<ArrayBuffer> {
  if (encoding === 'linear16') {
    // Copied, because the bytes may begin at an odd address. Every supported machine is little-endian.
    const samples = new Int16Array(audio.length >> 1);
    new Uint8Array(samples.buffer).set(audio.subarray(0, samples.byteLength));
    return samples;
  }
  const samples = new Int16Array(audio.length);
  const decode = encoding === 'mulaw' ? decodeMulaw : decodeAlaw;
  decode(audio, 0, audio.length, samples);
  return samples;
}

/** 16-bit samples as linear16 bytes, without a copy. Every supported machine is little-endian. */
export function linear16Bytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

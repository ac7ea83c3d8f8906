import type { AudioFormat } from '../../../base/audio/audio-format.ts';

/** Audio of this length without a sound. */
export function silence({ encoding }: AudioFormat, bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill({ mulaw: 0xff, alaw: 0xd5, linear16: 0 }[encoding]);
}

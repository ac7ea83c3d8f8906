import type { AudioCodec } from '../rtp/audio-codec.ts';
import { G722_SAMPLES_PER_OCTET, G722Encoder } from '../rtp/g722/g722.ts';

/** Makes the payloads of one outgoing wideband stream, from 16-bit samples at 16 kHz. */
export interface SpeechEncoder {
  /** Encodes the first `samples` of `from` into `into[at]` on; answers how many bytes. */
  encode(from: Int16Array, samples: number, into: Uint8Array, at: number): number;
  free(): void;
}

/** Null for a law of G.711, whose payload is what the playout writes. */
export function createSpeechEncoder(codec: AudioCodec): SpeechEncoder | null {
  switch (codec) {
    case 'pcmu':
    case 'pcma':
      return null;
    case 'g722':
      return g722Encoder();
    case 'opus':
      return null;
  }
}

function g722Encoder(): SpeechEncoder {
  const encoder = new G722Encoder();
  return {
    encode(from, samples, into, at) {
      encoder.encode(from, 0, samples, into, at);
      return samples / G722_SAMPLES_PER_OCTET;
    },
    free: () => undefined,
  };
}

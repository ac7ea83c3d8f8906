import type { RtpParameters } from '../rtp-parameters.ts';
import { G722_SAMPLES_PER_OCTET, G722Encoder } from './g722/g722.ts';
import type { OpusCodecs } from './opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS } from './opus-parameters.ts';

/** Makes the payloads of one outgoing wideband stream, from 16-bit samples at 16 kHz. */
export interface SpeechEncoder {
  /** Encodes the first `samples` of `from` into `into[at]` on; answers how many bytes, 0 where nothing is to be sent. */
  encode(from: Int16Array, samples: number, into: Uint8Array, at: number): number;
  free(): void;
}

/** Null for a law of G.711, whose payload is what the playout writes. */
export function createSpeechEncoder({ codec, opus }: RtpParameters, codecs: OpusCodecs): SpeechEncoder | null {
  switch (codec) {
    case 'pcmu':
    case 'pcma':
      return null;
    case 'g722':
      return g722Encoder();
    case 'opus':
      return codecs.createEncoder(opus ?? DEFAULT_OPUS_PARAMETERS);
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

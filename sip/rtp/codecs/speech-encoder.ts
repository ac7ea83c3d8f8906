import type { AudioCodec } from './audio-codec.ts';
import { G722_SAMPLES_PER_OCTET, G722Encoder } from './g722/g722.ts';
import type { OpusCodecs, SpeechEncoder } from './opus-codec.ts';
import { DEFAULT_OPUS_PARAMETERS, type OpusParameters } from './opus-parameters.ts';

export interface SpeechEncoding {
  readonly codec: AudioCodec;
  /** The peer's preferences for our Opus. */
  readonly opus?: OpusParameters;
}

/** Creates the encoder of a stream; null for G.711, whose payload the playout writes itself. */
export function createSpeechEncoder({ codec, opus }: SpeechEncoding, codecs: OpusCodecs): SpeechEncoder | null {
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

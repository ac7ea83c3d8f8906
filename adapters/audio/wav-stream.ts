import { type AudioFormat, LINEAR16_RATES_HZ } from '../../base/audio/audio-format.ts';
import { readWavHeader, type WavHeader, wavAudioFormat } from '../../base/audio/wav.ts';
import { compressionOf, SIGNATURE_BYTES } from './compressed-audio.ts';

/** Bound of the header with all chunks before the audio. */
const HEADER_BYTES_MAX = 4_096;
/** Lengths from here on mean «unknown»: everything that follows is audio. */
const UNKNOWN_LENGTH_MIN = 0x7f00_0000;
const G711_RATE_HZ = 8_000;

export type WavChunk =
  | { readonly type: 'audio'; readonly format: AudioFormat; readonly audio: Uint8Array }
  /** The header is incomplete, or the audio has ended. */
  | { readonly type: 'nothing' }
  | { readonly type: 'unplayable'; readonly why: string };

const NOTHING: WavChunk = { type: 'nothing' };

/**
 * Removes a WAV header from a stream of audio: some servers send one although samples were requested. Without a header every byte
 * is audio, unless the stream begins like compressed audio.
 */
export class WavStream {
  readonly #plain: AudioFormat;
  #header: Buffer | undefined = Buffer.alloc(0);
  #format: AudioFormat;
  #bytesLeft = Number.POSITIVE_INFINITY;

  /** `plain`: the format of a stream without a header. */
  constructor(plain: AudioFormat) {
    this.#plain = plain;
    this.#format = plain;
  }

  take(bytes: Uint8Array): WavChunk {
    if (this.#header === undefined) return this.#audio(bytes);
    const header = Buffer.concat([this.#header, bytes]);
    this.#header = header;
    if (header.length < SIGNATURE_BYTES) return NOTHING;
    const compression = compressionOf(header);
    if (compression !== undefined) return { type: 'unplayable', why: compression };
    if (header.toString('latin1', 0, 4) !== 'RIFF') return this.#begin(this.#plain, header, undefined);
    const result = readWavHeader(header);
    if (result.type === 'invalid') return { type: 'unplayable', why: result.reason };
    if (result.type === 'incomplete') {
      return header.length > HEADER_BYTES_MAX ? { type: 'unplayable', why: 'a WAV header without an end' } : NOTHING;
    }
    return this.#beginWav(result.header, header);
  }

  #beginWav(wav: WavHeader, bytes: Buffer): WavChunk {
    const format = wavAudioFormat(wav);
    const reason = unplayableReason(wav, format);
    if (format === null || reason !== null) return { type: 'unplayable', why: reason ?? 'an unknown WAV format' };
    const isLengthKnown = wav.dataBytes > 0 && wav.dataBytes < UNKNOWN_LENGTH_MIN;
    return this.#begin(format, bytes.subarray(wav.dataOffset), isLengthKnown ? wav.dataBytes : undefined);
  }

  #begin(format: AudioFormat, audio: Uint8Array, audioBytes: number | undefined): WavChunk {
    this.#header = undefined;
    this.#format = format;
    if (audioBytes !== undefined) this.#bytesLeft = audioBytes;
    return this.#audio(audio);
  }

  #audio(bytes: Uint8Array): WavChunk {
    const audio = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= audio.length;
    return audio.length === 0 ? NOTHING : { type: 'audio', format: this.#format, audio };
  }
}

/** Null if the playout accepts the format. */
function unplayableReason({ formatTag, bitsPerSample, channels, sampleRateHz }: WavHeader, format: AudioFormat | null) {
  if (channels !== 1) return `a WAV with ${channels} channels`;
  const rates = format?.encoding === 'linear16' ? LINEAR16_RATES_HZ : [G711_RATE_HZ];
  if (format !== null && rates.includes(sampleRateHz)) return null;
  return `a WAV of format ${formatTag}, ${bitsPerSample} bits, ${sampleRateHz} Hz`;
}

import { type AudioFormat, LINEAR16_RATES_HZ } from '../engine/ports/audio-format.ts';
import { compressionOf, SIGNATURE_BYTES } from './compressed-audio.ts';

/** Chunks before the audio; a header larger than this is none. */
const HEADER_BYTES_MAX = 4_096;
/** Written where the length was not known yet; what follows then is all audio. */
const UNKNOWN_LENGTH_MIN = 0x7f00_0000;

const WAVE_PCM = 1;
const WAVE_ALAW = 6;
const WAVE_MULAW = 7;

export type WavChunk =
  | { readonly type: 'audio'; readonly format: AudioFormat; readonly audio: Uint8Array }
  /** The header is not whole yet, or the audio has ended. */
  | { readonly type: 'nothing' }
  | { readonly type: 'unplayable'; readonly why: string };

const NOTHING: WavChunk = { type: 'nothing' };

/**
 * Takes a RIFF header (Microsoft's «Multimedia Programming Interface and Data Specifications 1.0») off a stream of audio
 * where there is one: some servers send it although plain samples were asked for. Without one every byte is audio, unless
 * it begins as compressed audio does.
 */
export class WavStream {
  readonly #plain: AudioFormat;
  #header: Buffer | undefined = Buffer.alloc(0);
  #format: AudioFormat;
  #bytesLeft = Number.POSITIVE_INFINITY;

  /** `plain`: what the bytes are where no header says otherwise. */
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
    const found = readHeader(header);
    if (found === undefined) {
      return header.length > HEADER_BYTES_MAX ? { type: 'unplayable', why: 'a WAV header without an end' } : NOTHING;
    }
    if (typeof found === 'string') return { type: 'unplayable', why: found };
    return this.#begin(found.format, header.subarray(found.audioAt), found.audioBytes);
  }

  /** What was held back because it might have been a header; a stream that short has no sound to speak of. */
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

interface WavHeader {
  readonly format: AudioFormat;
  readonly audioAt: number;
  readonly audioBytes: number | undefined;
}

/** Undefined: more is needed. A text: why it cannot be played. */
function readHeader(bytes: Buffer): WavHeader | string | undefined {
  let format: AudioFormat | string | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (id === 'data') {
      if (format === undefined) return 'a WAV without its format';
      if (typeof format === 'string') return format;
      const isKnown = length > 0 && length < UNKNOWN_LENGTH_MIN;
      return { format, audioAt: at + 8, audioBytes: isKnown ? length : undefined };
    }
    if (id === 'fmt ' && at + 24 <= bytes.length) format = readFormat(bytes, at + 8);
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** The first 16 bytes of the `fmt ` chunk. */
function readFormat(bytes: Buffer, at: number): AudioFormat | string {
  const code = bytes.readUInt16LE(at);
  const channels = bytes.readUInt16LE(at + 2);
  const sampleRateHz = bytes.readUInt32LE(at + 4);
  const bits = bytes.readUInt16LE(at + 14);
  if (channels !== 1) return `a WAV with ${channels} channels`;
  if (code === WAVE_PCM && bits === 16 && LINEAR16_RATES_HZ.includes(sampleRateHz)) {
    return { encoding: 'linear16', sampleRateHz };
  }
  if (code === WAVE_MULAW && sampleRateHz === 8_000) return { encoding: 'mulaw', sampleRateHz };
  if (code === WAVE_ALAW && sampleRateHz === 8_000) return { encoding: 'alaw', sampleRateHz };
  return `a WAV of format ${code}, ${bits} bits, ${sampleRateHz} Hz`;
}

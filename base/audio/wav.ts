import { type AudioFormat, bytesPerSample } from './audio-format.ts';

/**
 * A RIFF/WAVE file (Microsoft, «Multimedia Programming Interface and Data Specifications 1.0») with one audio stream:
 * 16-bit PCM, or G.711 of either law.
 */
export interface WavFile {
  readonly format: AudioFormat;
  /** 1 or more, interleaved. */
  readonly channels: number;
  /** Little-endian, as in the file. */
  readonly data: Uint8Array;
}

/** Offset of the PCM data in a file that we wrote. */
export const PCM_WAV_HEADER_BYTES = 44;
/** The size fields have 32 bits. The bound is a little lower, because some readers round sizes up. */
export const WAV_DATA_BYTES_MAX = 0xffff_0000;

/** `wFormatTag` (Microsoft's mmreg.h). */
const FORMAT_TAGS = { linear16: 1, alaw: 6, mulaw: 7 } as const;
const EXTENSIBLE_TAG = 0xfffe;
/** Offset of the format tag in an extensible format chunk: the first two bytes of its SubFormat. */
const SUBFORMAT_OFFSET = 24;
const PCM_FORMAT_BYTES = 16;
/** Formats other than PCM carry the size of their extension (0) and a `fact` chunk with the number of samples. */
const G711_FORMAT_BYTES = 18;

/** The bytes before the data: 44 for PCM, 58 for G.711. */
export function encodeWavHeader(format: AudioFormat, channels: number, dataBytes: number): Uint8Array {
  const pcm = format.encoding === 'linear16';
  const sampleBytes = bytesPerSample(format);
  const formatBytes = pcm ? PCM_FORMAT_BYTES : G711_FORMAT_BYTES;
  const header = new Uint8Array(12 + 8 + formatBytes + (pcm ? 0 : 12) + 8);
  const view = new DataView(header.buffer);
  writeTag(header, 0, 'RIFF');
  view.setUint32(4, header.length - 8 + dataBytes + (dataBytes & 1), true);
  writeTag(header, 8, 'WAVE');
  writeTag(header, 12, 'fmt ');
  view.setUint32(16, formatBytes, true);
  view.setUint16(20, FORMAT_TAGS[format.encoding], true);
  view.setUint16(22, channels, true);
  view.setUint32(24, format.sampleRateHz, true);
  view.setUint32(28, format.sampleRateHz * channels * sampleBytes, true);
  view.setUint16(32, channels * sampleBytes, true);
  view.setUint16(34, sampleBytes * 8, true);
  if (!pcm) {
    writeTag(header, 38, 'fact');
    view.setUint32(42, 4, true);
    view.setUint32(46, dataBytes / channels, true);
  }
  writeTag(header, header.length - 8, 'data');
  view.setUint32(header.length - 4, dataBytes, true);
  return header;
}

/** The whole file as bytes. */
export function encodeWav(wav: WavFile): Uint8Array {
  const header = encodeWavHeader(wav.format, wav.channels, wav.data.length);
  const file = new Uint8Array(header.length + wav.data.length + (wav.data.length & 1));
  file.set(header);
  file.set(wav.data, header.length);
  return file;
}

/** The fields of a `fmt ` chunk, and where the audio begins. */
export interface WavHeader {
  readonly formatTag: number;
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bitsPerSample: number;
  readonly dataOffset: number;
  /** As the header says: 0 or a very large number if the writer did not know the length yet. */
  readonly dataBytes: number;
}

/** `incomplete`: the header may follow in later bytes. A `reason` says why the bytes are no WAV file. */
export type WavHeaderResult =
  | { readonly type: 'header'; readonly header: WavHeader }
  | { readonly type: 'incomplete' }
  | { readonly type: 'invalid'; readonly reason: string };

/** Reads the chunks up to the audio. Never throws. */
export function readWavHeader(bytes: Uint8Array): WavHeaderResult {
  if (bytes.length < 12) return { type: 'incomplete' };
  if (readTag(bytes, 0) !== 'RIFF' || readTag(bytes, 8) !== 'WAVE') return { type: 'invalid', reason: 'no WAV header' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: WavFormatChunk | null = null;
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const tag = readTag(bytes, offset);
    const start = offset + 8;
    const size = view.getUint32(offset + 4, true);
    if (tag === 'data') {
      if (format === null) return { type: 'invalid', reason: 'a WAV without its format' };
      return { type: 'header', header: { ...format, dataOffset: start, dataBytes: size } };
    }
    if (tag === 'fmt ') {
      if (size < PCM_FORMAT_BYTES) return { type: 'invalid', reason: `a WAV format of ${size} bytes` };
      if (start + Math.min(size, SUBFORMAT_OFFSET + 2) > bytes.length) return { type: 'incomplete' };
      format = readFormatChunk(view, start, size);
    }
    offset = start + size + (size & 1);
  }
  return { type: 'incomplete' };
}

/** The audio format of a header; null if we cannot play it. The number of channels is not considered. */
export function wavAudioFormat({ formatTag, bitsPerSample, sampleRateHz }: WavHeader): AudioFormat | null {
  if (sampleRateHz === 0) return null;
  if (formatTag === FORMAT_TAGS.linear16 && bitsPerSample === 16) return { encoding: 'linear16', sampleRateHz };
  if (formatTag === FORMAT_TAGS.mulaw && bitsPerSample === 8) return { encoding: 'mulaw', sampleRateHz };
  if (formatTag === FORMAT_TAGS.alaw && bitsPerSample === 8) return { encoding: 'alaw', sampleRateHz };
  return null;
}

/**
 * Reads a file; null if it is no WAV file or has another encoding. Sizes beyond the end (the writer was killed) are cut
 * to the bytes present; `data` shares the memory of `bytes` and holds whole frames only. Never throws.
 */
export function decodeWav(bytes: Uint8Array): WavFile | null {
  const result = readWavHeader(bytes);
  if (result.type !== 'header') return null;
  const { channels, dataBytes, dataOffset } = result.header;
  const format = wavAudioFormat(result.header);
  if (format === null || channels === 0) return null;
  const frameBytes = channels * bytesPerSample(format);
  const size = Math.min(dataBytes, bytes.length - dataOffset);
  const data = new Uint8Array(bytes.buffer, bytes.byteOffset + dataOffset, size - (size % frameBytes));
  return { format, channels, data };
}

type WavFormatChunk = Omit<WavHeader, 'dataOffset' | 'dataBytes'>;

function readFormatChunk(view: DataView, start: number, size: number): WavFormatChunk {
  const tag = view.getUint16(start, true);
  const isExtensible = tag === EXTENSIBLE_TAG && size >= SUBFORMAT_OFFSET + 2;
  return {
    formatTag: isExtensible ? view.getUint16(start + SUBFORMAT_OFFSET, true) : tag,
    channels: view.getUint16(start + 2, true),
    sampleRateHz: view.getUint32(start + 4, true),
    bitsPerSample: view.getUint16(start + 14, true),
  };
}

function writeTag(into: Uint8Array, offset: number, tag: string): void {
  for (let i = 0; i < 4; i++) into[offset + i] = tag.charCodeAt(i);
}

function readTag(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

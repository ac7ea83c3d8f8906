import type { AudioFormat } from '../../engine/ports/audio-format.ts';

/** A RIFF/WAVE file of one audio stream: PCM 16 bit, or G.711 of either law. */
export interface Wav {
  readonly format: AudioFormat;
  /** 1 or more; samples of one moment stand side by side. */
  readonly channels: number;
  /** Little-endian as in the file. */
  readonly data: Uint8Array;
}

/** Where PCM data begins in a file of ours. */
export const PCM_WAV_HEADER_BYTES = 44;
/** The size fields have 32 bits. Kept a little below, as readers that use signed or rounded sizes are many. */
export const MAX_WAV_DATA_BYTES = 0xffff_0000;

/** `wFormatTag` (Microsoft's mmreg.h). */
const FORMAT_TAGS = { linear16: 1, alaw: 6, mulaw: 7 } as const;
const EXTENSIBLE_TAG = 0xfffe;
/** Offset of the real tag in an extensible format chunk: the first two bytes of its SubFormat. */
const SUBFORMAT_OFFSET = 24;
const PCM_FORMAT_BYTES = 16;
/** Formats other than PCM have a size of their extension (0) and a `fact` chunk with the number of samples. */
const G711_FORMAT_BYTES = 18;

/** The bytes before the data: 44 for PCM, 58 for G.711. */
export function encodeWavHeader(format: AudioFormat, channels: number, dataBytes: number): Uint8Array {
  const pcm = format.encoding === 'linear16';
  const sampleBytes = pcm ? 2 : 1;
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

/** A whole file. */
export function encodeWav(wav: Wav): Uint8Array {
  const header = encodeWavHeader(wav.format, wav.channels, wav.data.length);
  const file = new Uint8Array(header.length + wav.data.length + (wav.data.length & 1));
  file.set(header);
  file.set(wav.data, header.length);
  return file;
}

/**
 * Reads a file; null where it is none or of another encoding. Sizes that reach past the end (a file whose writer died)
 * are cut to what is there; `data` shares the memory of `bytes` and holds whole frames only. Never throws.
 */
export function decodeWav(bytes: Uint8Array): Wav | null {
  if (bytes.length < 12 || readTag(bytes, 0) !== 'RIFF' || readTag(bytes, 8) !== 'WAVE') return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let shape: { readonly format: AudioFormat; readonly channels: number } | null = null;
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const tag = readTag(bytes, offset);
    const start = offset + 8;
    const size = Math.min(view.getUint32(offset + 4, true), bytes.length - start);
    if (tag === 'fmt ') {
      shape = decodeFormat(view, start, size);
      if (shape === null) return null;
    } else if (tag === 'data') {
      if (shape === null) return null;
      const frameBytes = shape.channels * (shape.format.encoding === 'linear16' ? 2 : 1);
      const data = new Uint8Array(bytes.buffer, bytes.byteOffset + start, size - (size % frameBytes));
      return { ...shape, data };
    }
    offset = start + size + (size & 1);
  }
  return null;
}

function decodeFormat(view: DataView, start: number, size: number) {
  if (size < PCM_FORMAT_BYTES) return null;
  let tag = view.getUint16(start, true);
  if (tag === EXTENSIBLE_TAG && size >= SUBFORMAT_OFFSET + 2) tag = view.getUint16(start + SUBFORMAT_OFFSET, true);
  const channels = view.getUint16(start + 2, true);
  const sampleRateHz = view.getUint32(start + 4, true);
  const bits = view.getUint16(start + 14, true);
  const encoding = encodingOf(tag, bits);
  return encoding === null || channels === 0 || sampleRateHz === 0
    ? null
    : { format: { encoding, sampleRateHz }, channels };
}

function encodingOf(tag: number, bits: number): AudioFormat['encoding'] | null {
  if (tag === FORMAT_TAGS.linear16 && bits === 16) return 'linear16';
  if (tag === FORMAT_TAGS.mulaw && bits === 8) return 'mulaw';
  if (tag === FORMAT_TAGS.alaw && bits === 8) return 'alaw';
  return null;
}

function writeTag(into: Uint8Array, offset: number, tag: string): void {
  for (let i = 0; i < 4; i++) into[offset + i] = tag.charCodeAt(i);
}

function readTag(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

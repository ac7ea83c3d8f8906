/** Bytes needed to recognise a format. */
export const SIGNATURE_BYTES = 4;

/**
 * The compression of audio that begins with these bytes; undefined if they match no known compression. Compressed audio
 * would be noise if it were played as samples. Sources: ID3v2, which precedes an MP3
 * (https://id3.org/id3v2.4.0-structure); Ogg, RFC 3533 §6; FLAC, RFC 9639 §6.
 */
export function compressionOf(bytes: Buffer): string | undefined {
  const signature = bytes.toString('latin1', 0, SIGNATURE_BYTES);
  if (signature.startsWith('ID3') || isMp3Frame(bytes.readUInt32BE(0))) return 'MP3';
  if (signature === 'OggS') return 'Ogg';
  return signature === 'fLaC' ? 'FLAC' : undefined;
}

/**
 * The header of an MPEG audio frame of layer III (ISO/IEC 11172-3, section 2.4.1.3):
 *
 *     11 bits sync, all set · 2 version (1: reserved) · 2 layer (1: III) · 1 protection
 *     4 bit rate (0: free, 15: forbidden) · 2 sampling rate (3: reserved) · …
 *
 * Other layers are not in use, and a sample of -1 would look like one of them.
 */
function isMp3Frame(word: number): boolean {
  const version = (word >>> 19) & 3;
  const layer = (word >>> 17) & 3;
  const bitRate = (word >>> 12) & 15;
  const samplingRate = (word >>> 10) & 3;
  return word >>> 21 === 0x7ff && version !== 1 && layer === 1 && bitRate % 15 !== 0 && samplingRate !== 3;
}

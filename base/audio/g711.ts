/**
 * ITU-T G.711, both laws, by look-up tables. Linear samples are 16 bits wide: the 14 bits of mu-law and the 13 of A-law
 * are the highest bits, as in ITU-T G.191's reference. Allocates only while the module is loaded.
 */

/** Silence in each law: the code of linear 0. */
export const MULAW_SILENCE = 0xff;
export const ALAW_SILENCE = 0xd5;

/** Added to a mu-law magnitude so that every segment begins at a power of two (G.711 table 2). */
const MULAW_BIAS = 33;
/** Largest 14-bit magnitude that mu-law can represent, bias included. */
const MULAW_CLIP = 0x1fff;
/** A-law inverts every other bit on the line (G.711 §3.1, table 1a note). */
const ALAW_INVERSION = 0x55;

const mulawToLinear = Int16Array.from({ length: 256 }, (_, code) => expandMulaw(code));
const alawToLinear = Int16Array.from({ length: 256 }, (_, code) => expandAlaw(code));
/** By the upper 14 bits of a sample. */
const linearToMulaw = Uint8Array.from({ length: 1 << 14 }, (_, index) => compressMulaw((index << 18) >> 16));
/** By the upper 12 bits of a sample: the lower bits never change an A-law code. */
const linearToAlaw = Uint8Array.from({ length: 1 << 12 }, (_, index) => compressAlaw((index << 20) >> 16));
const mulawToAlaw = Uint8Array.from({ length: 256 }, (_, code) => compressAlaw(expandMulaw(code)));
const alawToMulaw = Uint8Array.from({ length: 256 }, (_, code) => compressMulaw(expandAlaw(code)));

/** A mu-law code as a 16-bit sample, −32124 … 32124. */
export function decodeMulawSample(code: number): number {
  return mulawToLinear[code & 0xff] ?? 0;
}

/** An A-law code as a 16-bit sample, −32256 … 32256. */
export function decodeAlawSample(code: number): number {
  return alawToLinear[code & 0xff] ?? 0;
}

/** The mu-law code of a 16-bit sample. */
export function encodeMulawSample(sample: number): number {
  return linearToMulaw[(sample & 0xffff) >>> 2] ?? 0;
}

/** The A-law code of a 16-bit sample. */
export function encodeAlawSample(sample: number): number {
  return linearToAlaw[(sample & 0xffff) >>> 4] ?? 0;
}

/** Decodes `length` codes from `from[offset]` on into `into[at]` on. */
export function decodeMulaw(from: Uint8Array, offset: number, length: number, into: Int16Array, at = 0): void {
  for (let i = 0; i < length; i++) into[at + i] = mulawToLinear[from[offset + i] ?? 0] ?? 0;
}

/** Decodes `length` codes from `from[offset]` on into `into[at]` on. */
export function decodeAlaw(from: Uint8Array, offset: number, length: number, into: Int16Array, at = 0): void {
  for (let i = 0; i < length; i++) into[at + i] = alawToLinear[from[offset + i] ?? 0] ?? 0;
}

/** Encodes `length` samples from `from[offset]` on into `into[at]` on. */
export function encodeMulaw(from: Int16Array, offset: number, length: number, into: Uint8Array, at = 0): void {
  for (let i = 0; i < length; i++) into[at + i] = linearToMulaw[((from[offset + i] ?? 0) & 0xffff) >>> 2] ?? 0;
}

/** Encodes `length` samples from `from[offset]` on into `into[at]` on. */
export function encodeAlaw(from: Int16Array, offset: number, length: number, into: Uint8Array, at = 0): void {
  for (let i = 0; i < length; i++) into[at + i] = linearToAlaw[((from[offset + i] ?? 0) & 0xffff) >>> 4] ?? 0;
}

/** Directly from law to law, without decoding to samples; `into` may be `from` itself. */
export function transcodeMulawToAlaw(
  from: Uint8Array,
  offset: number,
  length: number,
  into: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < length; i++) into[at + i] = mulawToAlaw[from[offset + i] ?? 0] ?? 0;
}

/** Directly from law to law, without decoding to samples; `into` may be `from` itself. */
export function transcodeAlawToMulaw(
  from: Uint8Array,
  offset: number,
  length: number,
  into: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < length; i++) into[at + i] = alawToMulaw[from[offset + i] ?? 0] ?? 0;
}

/** The code's bits on the line are inverted: sign (1 is positive), three of segment, four of step (G.711 table 2). */
function expandMulaw(code: number): number {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 1) + MULAW_BIAS) << ((bits >> 4) & 7)) - MULAW_BIAS;
  return (bits & 0x80) === 0 ? magnitude << 2 : -(magnitude << 2);
}

/** A sample on a decision value goes to the code above it; negative ones mirror by one's complement (G.191). */
function compressMulaw(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> 2) + MULAW_BIAS, MULAW_CLIP);
  const segment = 26 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 1)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

/** The first two segments have one step width; from there each doubles it (G.711 table 1). */
function expandAlaw(code: number): number {
  const bits = code ^ ALAW_INVERSION;
  const segment = (bits >> 4) & 7;
  const step = ((bits & 0x0f) << 1) + 1;
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1);
  return (bits & 0x80) === 0 ? -(magnitude << 3) : magnitude << 3;
}

function compressAlaw(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = magnitude < 16 ? 0 : 28 - Math.clz32(magnitude);
  const step = segment === 0 ? magnitude : (magnitude >> (segment - 1)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ ALAW_INVERSION;
}

import type { AudioFormat } from '../../../base/audio/audio-format.ts';

/**
 * The unit of audio between threads: a header of seven 32-bit words in the machine's byte order, then the payload, padded
 * to whole words. Both sides of every ring buffer use this layout.
 *
 *    word 0   length of the payload, in bytes
 *    word 1   call slot (bits 0–15) · kind (16–23) · codec (24–31)
 *    word 2   generation of the slot: frames of an earlier call in the slot are ignored
 *    word 3   sample rate, Hz
 *    word 4   frames to a browser: number of the agent's samples, which silence follows; other frames: 0
 *    word 5   agent's audio: utterance; peer's audio: 0
 *    word 6   agent's audio: segment; peer's audio: 0
 */
export interface AudioFrame {
  length: number;
  slot: number;
  kind: number;
  codec: number;
  generation: number;
  rateHz: number;
  agentSamples: number;
  utterance: number;
  segment: number;
}

export const FRAME_HEADER_WORDS = 7;
export const FRAME_HEADER_BYTES = FRAME_HEADER_WORDS * 4;

export const KIND_AUDIO = 1;
/** No payload: the segment has no more audio. */
export const KIND_END_OF_SEGMENT = 2;
/** Audio of the agent that is lowered while the user speaks. */
export const KIND_DUCKABLE_AUDIO = 3;

export const CODEC_MULAW = 1;
export const CODEC_ALAW = 2;
export const CODEC_LINEAR16 = 3;

const CODECS = { mulaw: CODEC_MULAW, alaw: CODEC_ALAW, linear16: CODEC_LINEAR16 } as const;

export function codecOf(encoding: AudioFormat['encoding']): number {
  return CODECS[encoding];
}

/** Created once and reused for every frame, so that frames between threads allocate nothing. */
export function createAudioFrame(): AudioFrame {
  return {
    length: 0,
    slot: 0,
    kind: KIND_AUDIO,
    codec: CODEC_MULAW,
    generation: 0,
    rateHz: 8000,
    agentSamples: 0,
    utterance: 0,
    segment: 0,
  };
}

/** Writes the header at word `index`. `mask`: the ring's length in words, a power of two, minus one. */
export function writeFrameHeader(words: Int32Array, index: number, mask: number, frame: AudioFrame): void {
  words[index & mask] = frame.length;
  words[(index + 1) & mask] = (frame.slot & 0xffff) | ((frame.kind & 0xff) << 16) | (frame.codec << 24);
  words[(index + 2) & mask] = frame.generation;
  words[(index + 3) & mask] = frame.rateHz;
  words[(index + 4) & mask] = frame.agentSamples;
  words[(index + 5) & mask] = frame.utterance;
  words[(index + 6) & mask] = frame.segment;
}

/**
 * Reads a header of `writeFrameHeader`. The header may be torn if the producer drops the oldest frame: see
 * `RingBuffer.take`.
 */
export function readFrameHeader(words: Int32Array, index: number, mask: number, into: AudioFrame): void {
  const packed = words[(index + 1) & mask] ?? 0;
  into.length = words[index & mask] ?? 0;
  into.slot = packed & 0xffff;
  into.kind = (packed >>> 16) & 0xff;
  into.codec = packed >>> 24;
  into.generation = words[(index + 2) & mask] ?? 0;
  into.rateHz = words[(index + 3) & mask] ?? 0;
  into.agentSamples = words[(index + 4) & mask] ?? 0;
  into.utterance = words[(index + 5) & mask] ?? 0;
  into.segment = words[(index + 6) & mask] ?? 0;
}

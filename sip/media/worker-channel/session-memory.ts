import { QUALITY_WORDS } from '../quality/media-quality.ts';
import { RingBuffer } from './ring-buffer.ts';

/**
 * The shared memory of one session: control words, the ring buffer of the peer's audio (uplink) and that of the agent's
 * (downlink). It belongs to the main thread and holds the whole playout state, so that a session outlives its worker.
 * The next session reuses it with a higher generation.
 */
export interface SessionMemory {
  readonly shared: SharedArrayBuffer;
  readonly control: Int32Array;
  /** Written by the worker: loss, jitter and delay of the call (`media-quality.ts`). */
  readonly quality: Int32Array;
  /** The worker produces; full: the oldest is dropped and counted. */
  readonly peerAudio: RingBuffer;
  /** The main thread produces; full: it waits (`WANTS_ROOM`). */
  readonly agentAudio: RingBuffer;
}

/** Written by the main thread, read by the worker before each packet. */
export const PAUSED = 0;
/** The highest cleared utterance. No audio of it or an earlier one may be sent. */
export const CLEARED = 1;
/** Set by the main thread when `agentAudio` was full; reset by the worker when half of the ring is free. */
export const WANTS_ROOM = 2;
/** Written by the worker: bytes of the first frame of `agentAudio` that were sent. */
export const FRAME_OFFSET = 3;
export const UTTERANCE = 4;
export const SEGMENT = 5;
/** 1 once `segment_started` was emitted for `SEGMENT`. */
export const SEGMENT_OPEN = 6;
/**
 * Written by the worker: samples of the peer's audio at 8 kHz so far, modulo 2^32, and whether voice activity is on.
 */
export const HEARD = 7;
export const SPEAKING = 8;
/** Written by the worker: SRTP's roll-over counter of the peer's stream, plus one; 0 before its first packet. */
export const ROLL_OVER = 9;
/**
 * Two words for each of the last eight utterances, at twice its number modulo 8: the number, and its sent samples,
 * counted at 16 kHz.
 */
export const PLAYED = 10;
export const PLAYED_UTTERANCES = 8;
const QUALITY = PLAYED + 2 * PLAYED_UTTERANCES;
const CONTROL_WORDS = QUALITY + QUALITY_WORDS;

/** No utterance yet: they count from 0. */
export const NO_UTTERANCE = -1;

/**
 * The longest stall of the main thread that loses no audio: 1.9 s of 20 ms frames of linear16 at 16 kHz, 6.9 s of
 * G.711.
 */
const UPLINK_BYTES = 64 * 1024;
/** 8 s of G.711, 2 s of linear16 at 16 kHz, or 1.3 s at 24 kHz. Further audio waits in the voice adapter. */
const DOWNLINK_BYTES = 64 * 1024;

export function createSessionMemory(): SessionMemory {
  const bytes = CONTROL_WORDS * 4 + RingBuffer.byteLength(UPLINK_BYTES) + RingBuffer.byteLength(DOWNLINK_BYTES);
  const memory = viewSessionMemory(new SharedArrayBuffer(bytes));
  resetSessionMemory(memory);
  return memory;
}

/** The other thread's view of the same memory. */
export function viewSessionMemory(shared: SharedArrayBuffer): SessionMemory {
  const uplinkOffset = CONTROL_WORDS * 4;
  return {
    shared,
    control: new Int32Array(shared, 0, CONTROL_WORDS),
    quality: new Int32Array(shared, QUALITY * 4, QUALITY_WORDS),
    peerAudio: new RingBuffer(shared, uplinkOffset, UPLINK_BYTES),
    agentAudio: new RingBuffer(shared, uplinkOffset + RingBuffer.byteLength(UPLINK_BYTES), DOWNLINK_BYTES),
  };
}

/** Prepares the memory for the next session. Only after the worker has released the previous one. */
export function resetSessionMemory(memory: SessionMemory): void {
  memory.control.fill(0);
  memory.control[CLEARED] = NO_UTTERANCE;
  memory.control[UTTERANCE] = NO_UTTERANCE;
  for (let i = 0; i < PLAYED_UTTERANCES; i++) memory.control[PLAYED + 2 * i] = NO_UTTERANCE;
  memory.peerAudio.reset();
  memory.agentAudio.reset();
}

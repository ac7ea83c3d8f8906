import { RECORDING_DELAY } from '../rtp/jitter-buffer/jitter-buffer.ts';

/**
 * The shared timeline between media worker and recorder: stereo, 8 kHz, 16 bit. The writer (one at a time) stores
 * frames and then the new count; it never waits, checks or allocates. The reader (one at a time) follows. Where a slow
 * disk lets it fall a whole ring behind, the oldest frames are lost: they become silence in the file, and the recording
 * is incomplete.
 *
 * The peer's samples leave a jitter buffer `CALLER_DELAY_FRAMES` late; the writer moves them back. So samples side by
 * side in the file are simultaneous. A frame is readable once both of its samples are stored; the agent's last ones,
 * when the recording ends.
 *
 * The indices are in the memory itself, so that a successor of either side can continue.
 */
export const RECORDING_RATE_HZ = 8000;
export const RECORDING_CHANNELS = 2;
/** One frame: a sample of the caller (left), a sample of the agent (right). */
export const RECORDING_FRAME_BYTES = 4;
/**
 * 4.096 s, 128 KiB a call: the longest disk stall without loss. A power of two, so that an index's low bits are the
 * position.
 */
export const RECORDING_RING_FRAMES = 32_768;

export const CALLER_DELAY_FRAMES = RECORDING_DELAY.initial;

const RING_MASK = RECORDING_RING_FRAMES - 1;
const HEADER_BYTES = 16;
/** Words of the header. Counts of frames since the call began, unsigned 32 bit: 149 hours, beyond the size of a WAV. */
const WRITTEN = 0;
const READ = 1;
const STATE = 2;
/** Frames with an agent's sample: ahead of `WRITTEN` by the peer's delay. */
const AGENT_WRITTEN = 3;
/** Bits of `STATE`, which are never reset. */
const INCOMPLETE = 1;
const STOPPED = 2;
/** Once overrun, the reader jumps so far ahead of the writer's heels that it is not overrun again while it copies. */
const OVERRUN_MARGIN_FRAMES = 4096;

export function createRecordingMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + RECORDING_RING_FRAMES * RECORDING_FRAME_BYTES);
}

/** The media worker's end. A new one on the same memory continues where the last stopped. */
export class RecordingTrack {
  readonly #header: Int32Array;
  readonly #frames: Int16Array;

  constructor(memory: SharedArrayBuffer) {
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#frames = new Int16Array(memory, HEADER_BYTES);
  }

  /**
   * Advances by `count` frames: `agent[agentAt]` on are sent now, `caller[callerAt]` on are what the peer's jitter
   * buffer plays now. `count` is at most `CALLER_DELAY_FRAMES`.
   */
  write(caller: Int16Array, callerAt: number, agent: Int16Array, agentAt: number, count: number): void {
    const now = this.#header[AGENT_WRITTEN] ?? 0;
    for (let i = 0; i < count; i++) {
      const place = ((now + i) & RING_MASK) << 1;
      this.#frames[place] = 0;
      this.#frames[place + 1] = agent[agentAt + i] ?? 0;
      const callerFrame = (now + i - CALLER_DELAY_FRAMES) | 0;
      // Samples from before the first packet are not the peer's voice.
      if (callerFrame >= 0) this.#frames[(callerFrame & RING_MASK) << 1] = caller[callerAt + i] ?? 0;
    }
    const next = (now + count) | 0;
    Atomics.store(this.#header, AGENT_WRITTEN, next);
    if (next > CALLER_DELAY_FRAMES) Atomics.store(this.#header, WRITTEN, next - CALLER_DELAY_FRAMES);
  }

  /**
   * After the agent's last sample: `count` more samples of the peer's buffer, `done` frames after those of the last
   * `write`.
   */
  writeTail(caller: Int16Array, done: number, count: number): void {
    const first = (this.#header[AGENT_WRITTEN] ?? 0) - CALLER_DELAY_FRAMES + done;
    for (let i = 0; i < count && done + i < CALLER_DELAY_FRAMES; i++) {
      const frame = (first + i) | 0;
      if (frame >= 0) this.#frames[(frame & RING_MASK) << 1] = caller[i] ?? 0;
    }
  }

  /** Frames on the timeline so far. */
  get written(): number {
    return (this.#header[AGENT_WRITTEN] ?? 0) >>> 0;
  }
}

/** The recorder's end. */
export class RecordingReader {
  /** The position on the timeline of the frames that `read` copied. */
  position = 0;
  readonly #header: Int32Array;
  readonly #frames: Int16Array;

  constructor(memory: SharedArrayBuffer) {
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#frames = new Int16Array(memory, HEADER_BYTES);
  }

  /**
   * Copies the next frames, at most `into.length / 2`, and returns their number; 0 where none are left. `release` them
   * once written.
   * @param ended the writer has finished: its last frames are read too
   */
  read(into: Int16Array, ended: boolean): number {
    const written = Atomics.load(this.#header, ended ? AGENT_WRITTEN : WRITTEN);
    let read = Atomics.load(this.#header, READ);
    const newest = Atomics.load(this.#header, AGENT_WRITTEN);
    if (((newest - read) | 0) > RECORDING_RING_FRAMES) {
      this.markIncomplete();
      read = (newest - RECORDING_RING_FRAMES + OVERRUN_MARGIN_FRAMES) | 0;
    }
    const count = Math.min((written - read) | 0, into.length >> 1);
    for (let i = 0; i < count; i++) {
      const place = ((read + i) & RING_MASK) << 1;
      into[i * 2] = this.#frames[place] ?? 0;
      into[i * 2 + 1] = this.#frames[place + 1] ?? 0;
    }
    this.position = read >>> 0;
    if (((Atomics.load(this.#header, AGENT_WRITTEN) - read) | 0) > RECORDING_RING_FRAMES) {
      // The writer overtook this copy: it may contain later audio.
      this.markIncomplete();
      into.fill(0, 0, count * 2);
    }
    return count;
  }

  /** The frames of the last `read` are written: a successor continues after them. */
  release(count: number): void {
    Atomics.store(this.#header, READ, (this.position + count) | 0);
  }

  /** A part of the recording is lost; it continues. */
  markIncomplete(): void {
    Atomics.or(this.#header, STATE, INCOMPLETE);
  }

  /** The rest of the recording is lost: nothing more is read or written. */
  markStopped(): void {
    Atomics.or(this.#header, STATE, INCOMPLETE | STOPPED);
  }

  get incomplete(): boolean {
    return Atomics.load(this.#header, STATE) !== 0;
  }

  get stopped(): boolean {
    return (Atomics.load(this.#header, STATE) & STOPPED) !== 0;
  }

  /** Frames of the timeline that were read (or passed over). */
  get framesRead(): number {
    return Atomics.load(this.#header, READ) >>> 0;
  }
}

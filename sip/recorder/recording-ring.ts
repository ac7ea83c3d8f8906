import { RECORDING_DELAY } from '../rtp/jitter-buffer/jitter-buffer.ts';

/**
 * The shared timeline between media worker and recorder: stereo, 8 kHz, 16 bit. The writer (one at a time) stores
 * frames and then the new count. It never waits, checks or allocates. The reader (one at a time) follows. If a slow disk
 * makes it fall a whole ring behind, the oldest frames are lost: they become silence in the file, and the recording is
 * incomplete.
 *
 * The jitter buffer delays the peer's samples by `PEER_DELAY_FRAMES`; the writer moves them back. So both samples of a
 * frame are simultaneous. A frame is readable once both samples are stored. The agent's last samples are readable when
 * the recording ends.
 *
 * The indices are in the memory itself, so that a successor of either side can continue.
 */
export const RECORDING_RATE_HZ = 8000;
export const RECORDING_CHANNELS = 2;
/** One frame: a sample of the peer (left) and a sample of the agent (right). */
export const RECORDING_FRAME_BYTES = 4;
/**
 * 4.096 s, 128 KiB a call: the longest disk stall without loss. A power of two, so that an index's low bits are the
 * position.
 */
export const RECORDING_RING_FRAMES = 32_768;

export const PEER_DELAY_FRAMES = RECORDING_DELAY.initial;

const RING_MASK = RECORDING_RING_FRAMES - 1;
const HEADER_BYTES = 16;
/** Words of the header. Counts of frames since the call began, unsigned 32 bit: 149 hours, beyond the size of a WAV. */
const WRITTEN = 0;
const READ = 1;
const STATE = 2;
/** Frames with the agent's sample: ahead of `WRITTEN` by `PEER_DELAY_FRAMES`. */
const AGENT_WRITTEN = 3;
/** Bits of `STATE`. The first two are never reset. */
const INCOMPLETE = 1;
const STOPPED = 2;
/** Both channels are silent. In the memory, so that it outlives a media worker. */
const PAUSED = 4;
/** After an overrun, the reader skips this number of frames more, so that it is not overrun again during its copy. */
const OVERRUN_MARGIN_FRAMES = 4096;

export function createRecordingMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + RECORDING_RING_FRAMES * RECORDING_FRAME_BYTES);
}

/** Silences the recording from now on, or ends the silence. Its time goes on. */
export function pauseRecording(memory: SharedArrayBuffer, isPaused: boolean): void {
  const header = new Int32Array(memory, 0, HEADER_BYTES / 4);
  if (isPaused) Atomics.or(header, STATE, PAUSED);
  else Atomics.and(header, STATE, ~PAUSED);
}

/** The media worker's end. A new track on the same memory continues where the last one stopped. */
export class RecordingTrack {
  readonly #header: Int32Array;
  readonly #frames: Int16Array;
  /** The frames of the latest pause: the peer's samples come later than they belong. */
  #pausedFrom = 0;
  #pausedUntil = -PEER_DELAY_FRAMES;
  #isPaused: boolean;

  constructor(memory: SharedArrayBuffer) {
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#frames = new Int16Array(memory, HEADER_BYTES);
    // The frames before were those of another worker, in the same pause.
    this.#isPaused = (Atomics.load(this.#header, STATE) & PAUSED) !== 0;
  }

  /**
   * Advances by `count` frames, at most `PEER_DELAY_FRAMES`. `agent`, from `agentAt` on: samples that are sent now.
   * `peer`, from `peerAt` on: samples that the peer's jitter buffer plays now.
   */
  write(peer: Int16Array, peerAt: number, agent: Int16Array, agentAt: number, count: number): void {
    const now = this.#header[AGENT_WRITTEN] ?? 0;
    this.#followPause(now);
    this.#layAgent(now, agent, agentAt, count);
    const from = (now - PEER_DELAY_FRAMES) | 0;
    if (from >= 0 && !this.#isPaused && from >= this.#pausedUntil) this.#layPeer(from, peer, peerAt, count);
    else this.#layPeerOfPause(from, peer, peerAt, count);
    const next = (now + count) | 0;
    Atomics.store(this.#header, AGENT_WRITTEN, next);
    if (next > PEER_DELAY_FRAMES) Atomics.store(this.#header, WRITTEN, next - PEER_DELAY_FRAMES);
  }

  /**
   * After the agent's last sample: writes `count` more samples of the peer, `done` frames after the last `write`.
   */
  writeTail(peer: Int16Array, done: number, count: number): void {
    const first = (this.#header[AGENT_WRITTEN] ?? 0) - PEER_DELAY_FRAMES + done;
    for (let i = 0; i < count && done + i < PEER_DELAY_FRAMES; i++) {
      const frame = (first + i) | 0;
      if (frame >= 0 && !this.#isInPause(frame)) this.#frames[(frame & RING_MASK) << 1] = peer[i] ?? 0;
    }
  }

  #layAgent(from: number, agent: Int16Array, agentAt: number, count: number): void {
    const frames = this.#frames;
    const isPaused = this.#isPaused;
    for (let i = 0; i < count; i++) {
      const place = ((from + i) & RING_MASK) << 1;
      frames[place] = 0;
      frames[place + 1] = isPaused ? 0 : (agent[agentAt + i] ?? 0);
    }
  }

  #layPeer(from: number, peer: Int16Array, peerAt: number, count: number): void {
    const frames = this.#frames;
    for (let i = 0; i < count; i++) frames[((from + i) & RING_MASK) << 1] = peer[peerAt + i] ?? 0;
  }

  /** The samples may be those of a pause, or from before the recording: for those there is no frame. */
  #layPeerOfPause(from: number, peer: Int16Array, peerAt: number, count: number): void {
    for (let i = 0; i < count; i++) {
      const frame = (from + i) | 0;
      if (frame >= 0) this.#frames[(frame & RING_MASK) << 1] = this.#isInPause(frame) ? 0 : (peer[peerAt + i] ?? 0);
    }
  }

  #followPause(now: number): void {
    const isPaused = (Atomics.load(this.#header, STATE) & PAUSED) !== 0;
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (!isPaused) this.#pausedUntil = now;
    // Samples of the pause before may still come: both are one pause for them.
    else if (now - this.#pausedUntil >= PEER_DELAY_FRAMES) this.#pausedFrom = now;
  }

  #isInPause(peerFrame: number): boolean {
    return peerFrame >= this.#pausedFrom && (this.#isPaused || peerFrame < this.#pausedUntil);
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
   * Copies the next frames, at most `into.length / 2`, and returns their number; 0 if none is left. Call `release` after
   * they are written to the file.
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
    const first = Math.min(count, RECORDING_RING_FRAMES - (read & RING_MASK));
    if (count > 0) {
      this.#copy(read & RING_MASK, first, into, 0);
      this.#copy(0, count - first, into, first);
    }
    this.position = read >>> 0;
    if (((Atomics.load(this.#header, AGENT_WRITTEN) - read) | 0) > RECORDING_RING_FRAMES) {
      // The writer overtook this copy: it may contain later audio.
      this.markIncomplete();
      into.fill(0, 0, count * 2);
    }
    return count;
  }

  #copy(from: number, count: number, into: Int16Array, at: number): void {
    into.set(this.#frames.subarray(2 * from, 2 * (from + count)), 2 * at);
  }

  /** The frames of the last `read` were written to the file. A successor continues after them. */
  release(count: number): void {
    Atomics.store(this.#header, READ, (this.position + count) | 0);
  }

  /** A part of the recording is lost. The recording continues. */
  markIncomplete(): void {
    Atomics.or(this.#header, STATE, INCOMPLETE);
  }

  /** The rest of the recording is lost. Nothing more is read or written. */
  markStopped(): void {
    Atomics.or(this.#header, STATE, INCOMPLETE | STOPPED);
  }

  get incomplete(): boolean {
    return (Atomics.load(this.#header, STATE) & INCOMPLETE) !== 0;
  }

  get stopped(): boolean {
    return (Atomics.load(this.#header, STATE) & STOPPED) !== 0;
  }

  /** Frames of the timeline that were read or skipped. */
  get framesRead(): number {
    return Atomics.load(this.#header, READ) >>> 0;
  }
}

import { type AudioFormat, bytesPerSample, LINEAR16_RATES_HZ } from '../../../base/audio/audio-format.ts';
import {
  codecOf,
  createAudioFrame,
  KIND_AUDIO,
  KIND_DUCKABLE_AUDIO,
  KIND_END_OF_SEGMENT,
} from '../worker-channel/audio-frame.ts';
import { CLEARED, type SessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';

/** The ring frees a frame's space after all of it was played. Half a second of G.711. Even, so that no sample is split. */
const FRAME_BYTES_MAX = 4096;
/** A longer piece of audio is not split into frames smaller than this, since each frame costs a header. */
const FRAME_BYTES_MIN = 256;
const NO_BYTES = new Uint8Array(0);

/** Audio that waits for space in the ring. `format` null: the segment's end. */
interface PendingAudio {
  readonly utterance: number;
  readonly segment: number;
  readonly format: AudioFormat | null;
  readonly isDuckable: boolean;
  readonly audio: Uint8Array;
  at: number;
}

/**
 * Writes the agent's audio to the ring buffer that the media worker plays. `play` takes a piece of audio completely or
 * not at all. The rest of a piece that does not fit into the ring waits here, and `play` refuses audio until the ring
 * has taken the rest. So at most one piece waits, plus ends of segments.
 */
export class AgentAudioWriter {
  readonly #memory: SessionMemory;
  readonly #frame = createAudioFrame();
  #pending: PendingAudio[] = [];
  #refused = false;
  /** First byte of a linear16 sample whose second byte has not arrived; −1: none. */
  #half = -1;
  #halfOf = '';

  constructor(memory: SessionMemory, slot: number, generation: number) {
    this.#memory = memory;
    this.#frame.slot = slot;
    this.#frame.generation = generation;
  }

  /**
   * Queues audio. Returns false while earlier audio waits. Audio of a cleared utterance is dropped, and returns true.
   * @throws RangeError for a format that cannot be played
   */
  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array, isDuckable = false): boolean {
    checkFormat(format);
    if (utterance <= Atomics.load(this.#memory.control, CLEARED)) return true;
    if (this.#pending.length > 0) {
      this.#refused = true;
      Atomics.store(this.#memory.control, WANTS_ROOM, 1);
      return false;
    }
    const whole = this.#wholeSamples(utterance, segment, format, audio);
    const piece: PendingAudio = { utterance, segment, format, isDuckable, audio: whole, at: 0 };
    // The rest is copied, since the caller of `play` may reuse its bytes.
    if (!this.#offer(piece)) this.#wait({ ...piece, audio: whole.slice(piece.at), at: 0 });
    return true;
  }

  endSegment(utterance: number, segment: number): void {
    if (utterance <= Atomics.load(this.#memory.control, CLEARED)) return;
    const end: PendingAudio = { utterance, segment, format: null, isDuckable: false, audio: NO_BYTES, at: 0 };
    if (this.#pending.length > 0 || !this.#offer(end)) this.#wait(end);
  }

  /** Drops waiting audio of utterances up to this one. */
  clear(utterance: number): void {
    this.#pending = this.#pending.filter((piece) => piece.utterance > utterance);
  }

  /** Moves waiting audio into the ring. True if `play` was refused before and would succeed now. */
  refill(): boolean {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      if (!this.#offer(next)) {
        Atomics.store(this.#memory.control, WANTS_ROOM, 1);
        return false;
      }
      this.#pending.shift();
    }
    const drained = this.#refused;
    this.#refused = false;
    return drained;
  }

  #wait(piece: PendingAudio): void {
    this.#pending.push(piece);
    Atomics.store(this.#memory.control, WANTS_ROOM, 1);
  }

  /** Writes as much as fits into the ring; true if all of the piece was written. */
  #offer(piece: PendingAudio): boolean {
    const frame = this.#frame;
    const memory = this.#memory;
    frame.utterance = piece.utterance;
    frame.segment = piece.segment;
    if (piece.format === null) {
      frame.kind = KIND_END_OF_SEGMENT;
      frame.length = 0;
      return memory.agentAudio.push(frame, NO_BYTES, 0);
    }
    frame.kind = piece.isDuckable ? KIND_DUCKABLE_AUDIO : KIND_AUDIO;
    frame.codec = codecOf(piece.format.encoding);
    frame.rateHz = piece.format.sampleRateHz;
    while (piece.at < piece.audio.length) {
      const left = piece.audio.length - piece.at;
      frame.length = Math.min(left, FRAME_BYTES_MAX, memory.agentAudio.room & ~3);
      if (frame.length < Math.min(left, FRAME_BYTES_MIN) || !memory.agentAudio.push(frame, piece.audio, piece.at))
        return false;
      piece.at += frame.length;
    }
    return true;
  }

  /** Providers split their streams anywhere: half a sample waits for the other half in the same segment. */
  #wholeSamples(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array): Uint8Array {
    if (bytesPerSample(format) === 1) return audio;
    const stream = `${utterance} ${segment} ${format.sampleRateHz}`;
    if (this.#halfOf !== stream) this.#half = -1;
    this.#halfOf = stream;
    let bytes = audio;
    if (this.#half !== -1) {
      bytes = new Uint8Array(audio.length + 1);
      bytes[0] = this.#half;
      bytes.set(audio, 1);
      this.#half = -1;
    }
    if (bytes.length % 2 === 0) return bytes;
    this.#half = bytes[bytes.length - 1] ?? 0;
    return bytes.subarray(0, bytes.length - 1);
  }
}

function checkFormat({ encoding, sampleRateHz }: AudioFormat): void {
  const known = encoding === 'linear16' ? LINEAR16_RATES_HZ.includes(sampleRateHz) : sampleRateHz === 8000;
  if (!known) throw new RangeError(`Cannot play ${encoding} at ${sampleRateHz} Hz`);
}

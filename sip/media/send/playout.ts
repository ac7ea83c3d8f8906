import type { MediaEvent } from '../../../engine/ports/media.ts';
import { createAudioFrame, KIND_DUCKABLE_AUDIO, KIND_END_OF_SEGMENT } from '../worker-channel/audio-frame.ts';
import {
  CLEARED,
  FRAME_OFFSET,
  NO_UTTERANCE,
  PAUSED,
  PLAYED,
  PLAYED_UTTERANCES,
  SEGMENT,
  SEGMENT_OPEN,
  type SessionMemory,
  UTTERANCE,
} from '../worker-channel/session-memory.ts';
import { Ducking } from './ducking.ts';
import type { PlayoutTranscoder } from './playout-transcoder.ts';
import { RewindBuffer } from './rewind-buffer.ts';

/** Maximum of marks per packet. Further marks wait for the next packet. */
const MARKS_MAX = 16;
/** The playback position always counts at 16 kHz, so that it survives a change of codec. */
const COUNTED_HZ = 16_000;
const COUNTED_PER_MS = COUNTED_HZ / 1000;

/**
 * The start or end of a segment, or the end of a pause, reported once its packet was sent. `played`: the playback
 * position; for `resumed` the time that is played again, in ms.
 */
interface Mark {
  type: 'segment_started' | 'segment_ended' | 'resumed';
  utterance: number;
  segment: number;
  played: number;
}

/**
 * Plays the agent's audio, packet by packet. The queue is the ring buffer itself, read in place. The playback position is
 * in the session's shared memory, to the sample, so that another worker can continue. Pause and clear are words in that
 * memory, read before each packet.
 *
 * Allocates nothing per packet, and one object per emitted mark.
 */
export class Playout {
  /** The user speaks: duckable audio is lowered. */
  isUserSpeaking = false;
  readonly #memory: SessionMemory;
  readonly #control: Int32Array;
  readonly #slot: number;
  readonly #generation: number;
  readonly #transcoder: PlayoutTranscoder;
  readonly #head = createAudioFrame();
  readonly #marks: Mark[] = Array.from({ length: MARKS_MAX }, createMark);
  #markCount = 0;
  readonly #ducking = new Ducking();
  readonly #rewind = new RewindBuffer();
  #isPaused = false;
  #isDuckable = false;

  constructor(memory: SessionMemory, slot: number, generation: number, transcoder: PlayoutTranscoder) {
    this.#memory = memory;
    this.#control = memory.control;
    this.#slot = slot;
    this.#generation = generation;
    this.#transcoder = transcoder;
  }

  /**
   * Writes up to `samples` samples of the transcoder's output (one byte each for G.711, otherwise two) to `out[at]` and after,
   * and returns their number. The rest of the packet is silence. Call `emitMarks` after the packet was sent.
   */
  fill(out: Uint8Array, at: number, samples: number): number {
    const control = this.#control;
    const head = this.#head;
    const transcoder = this.#transcoder;
    if (Atomics.load(control, PAUSED) !== 0) {
      this.#isPaused = true;
      return 0;
    }
    if (this.#isPaused) this.#resume();
    const { sampleBytes } = transcoder;
    let done = this.#replay(out, at, samples);
    while (done < samples && this.#markCount < MARKS_MAX - 1 && this.#toHead()) {
      this.#enter(head.utterance, head.segment);
      if (head.kind === KIND_END_OF_SEGMENT) {
        const tail = transcoder.drain(out, at + done * sampleBytes, samples - done);
        if (tail > 0) {
          done += this.#complete(out, at + done * sampleBytes, tail);
          continue;
        }
        this.#mark('segment_ended');
        control[SEGMENT_OPEN] = 0;
        this.#drop();
        continue;
      }
      if (control[SEGMENT_OPEN] === 0) {
        control[SEGMENT_OPEN] = 1;
        this.#mark('segment_started');
      }
      const offset = control[FRAME_OFFSET] ?? 0;
      this.#isDuckable = head.kind === KIND_DUCKABLE_AUDIO;
      const place = at + done * sampleBytes;
      const made = transcoder.transcode(this.#memory.agentAudio, head, offset, out, place, samples - done);
      done += this.#complete(out, place, made);
      if (offset + transcoder.consumed >= head.length) this.#drop();
      else control[FRAME_OFFSET] = offset + transcoder.consumed;
    }
    return done;
  }

  /** Emits the starts and ends of segments in the packets filled so far, in order. */
  emitMarks(emit: (event: MediaEvent) => void): void {
    for (let i = 0; i < this.#markCount; i++) {
      const mark = this.#marks[i];
      if (mark === undefined || mark.utterance <= Atomics.load(this.#control, CLEARED)) continue;
      const { type, utterance, segment } = mark;
      if (type === 'resumed') emit({ type, utterance, replayedMs: mark.played });
      else emit({ type, utterance, segment, playedMs: mark.played / COUNTED_PER_MS });
    }
    this.#markCount = 0;
  }

  /** Frees cleared audio without emitting its marks. */
  discardCleared(): void {
    this.#toHead();
  }

  /** How much of an utterance was sent, in ms; 0 if it has not started, or is not one of the last eight. */
  playedMs(utterance: number): number {
    const entry = playedEntry(utterance);
    return this.#control[entry] === utterance ? (this.#control[entry + 1] ?? 0) / COUNTED_PER_MS : 0;
  }

  /** The utterance that started last; 0 before the first. */
  get utterance(): number {
    return Math.max(0, this.#control[UTTERANCE] ?? 0);
  }

  /** A segment has started and is not paused, but its next audio has not arrived. */
  get isStarving(): boolean {
    return (
      this.#control[SEGMENT_OPEN] === 1 &&
      Atomics.load(this.#control, PAUSED) === 0 &&
      this.#memory.agentAudio.used === 0
    );
  }

  /** Moves the first playable frame to the head; false without one. */
  #toHead(): boolean {
    const head = this.#head;
    const control = this.#control;
    const { agentAudio } = this.#memory;
    const cleared = Atomics.load(control, CLEARED);
    while (agentAudio.peek(head)) {
      const ours = head.slot === this.#slot && head.generation === this.#generation;
      if (ours && head.utterance > cleared) return true;
      if (ours && head.utterance === control[UTTERANCE]) control[SEGMENT_OPEN] = 0;
      this.#drop();
      this.#transcoder.reset();
    }
    if (cleared !== NO_UTTERANCE && cleared >= (control[UTTERANCE] ?? NO_UTTERANCE)) control[SEGMENT_OPEN] = 0;
    return false;
  }

  #drop(): void {
    this.#control[FRAME_OFFSET] = 0;
    this.#memory.agentAudio.shift();
  }

  #enter(utterance: number, segment: number): void {
    const control = this.#control;
    if (control[UTTERANCE] === utterance && control[SEGMENT] === segment) return;
    control[SEGMENT] = segment;
    control[SEGMENT_OPEN] = 0;
    this.#transcoder.reset();
    this.#rewind.restart(this.#transcoder.outputCodec);
    if (control[UTTERANCE] === utterance) return;
    control[UTTERANCE] = utterance;
    const entry = playedEntry(utterance);
    control[entry] = utterance;
    control[entry + 1] = 0;
  }

  /** The pause is over: goes back to the last energy minimum of the segment that it interrupted. */
  #resume(): void {
    this.#isPaused = false;
    const isNextSegment = this.#toHead() && this.#head.segment !== this.#control[SEGMENT];
    if (this.#control[SEGMENT_OPEN] === 0 || isNextSegment) return;
    const replayedMs = this.#rewind.rewind();
    if (replayedMs === 0) return;
    this.#mark('resumed');
    const mark = this.#marks[this.#markCount - 1];
    if (mark !== undefined) mark.played = replayedMs;
  }

  /** Writes samples that are played again: they were counted before. */
  #replay(out: Uint8Array, at: number, samples: number): number {
    const control = this.#control;
    const rewind = this.#rewind;
    if (!rewind.isReplaying) return 0;
    const { outputCodec } = this.#transcoder;
    if ((control[UTTERANCE] ?? 0) <= Atomics.load(control, CLEARED) || rewind.codec !== outputCodec) {
      rewind.restart(outputCodec);
      return 0;
    }
    const count = rewind.replay(out, at, samples);
    this.#duck(out, at, count);
    return count;
  }

  #duck(out: Uint8Array, at: number, samples: number): void {
    const { outputCodec, outputHz } = this.#transcoder;
    this.#ducking.apply(out, at, samples, outputCodec, outputHz, this.isUserSpeaking && this.#isDuckable);
  }

  /** Remembers, ducks and counts samples that were written for the packet. Returns their number. */
  #complete(out: Uint8Array, at: number, samples: number): number {
    if (this.#rewind.codec !== this.#transcoder.outputCodec) this.#rewind.restart(this.#transcoder.outputCodec);
    this.#rewind.remember(out, at, samples);
    this.#duck(out, at, samples);
    const entry = playedEntry(this.#head.utterance);
    const counted = samples * (COUNTED_HZ / this.#transcoder.outputHz);
    this.#control[entry + 1] = (this.#control[entry + 1] ?? 0) + counted;
    return samples;
  }

  #mark(type: Mark['type']): void {
    const mark = this.#marks[this.#markCount++];
    if (mark === undefined) return;
    mark.type = type;
    mark.utterance = this.#head.utterance;
    mark.segment = this.#head.segment;
    mark.played = this.#control[playedEntry(this.#head.utterance) + 1] ?? 0;
  }
}

function createMark(): Mark {
  return { type: 'segment_started', utterance: 0, segment: 0, played: 0 };
}

function playedEntry(utterance: number): number {
  return PLAYED + 2 * (utterance & (PLAYED_UTTERANCES - 1));
}

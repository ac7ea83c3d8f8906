import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { Media, MediaEvent } from '../../../engine/ports/media.ts';

interface Queued {
  readonly utterance: number;
  readonly segment: number;
  waitingMs: number;
  started: boolean;
  complete: boolean;
}

/** Audio that left on the wire, in ms of the call. */
export interface WireAudio {
  readonly utterance: number;
  readonly segment: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A playout on the simulated clock, exact to the sample, that keeps what left on the wire. */
export class SimulatedMedia implements Media {
  readonly format: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
  readonly wire: WireAudio[] = [];
  readonly dtmf: string[] = [];
  listensForTones = false;
  closed = false;
  drained: () => void = () => {};
  /** Calls after `close`: there must be none. */
  misused = 0;
  #queue: Queued[] = [];
  #playing: {
    readonly of: Queued;
    readonly fromUs: number;
    readonly lengthMs: number;
    readonly cancel: () => void;
  } | null = null;
  #paused = false;
  #held = false;
  #clearedThrough = 0;
  readonly #playedMs = new Map<number, number>();
  #audioListener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
  #listener: (event: MediaEvent) => void = () => {};
  readonly #clock: SimulatedClock;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array): boolean {
    this.#use();
    if (utterance <= this.#clearedThrough) return true;
    // In whole µs, as the clock: what floating point leaves over would be played for ever.
    this.#queued(utterance, segment).waitingMs += Math.round(durationMs(format, audio.length) * 1000) / 1000;
    this.#kick();
    return true;
  }

  endSegment(utterance: number, segment: number): void {
    this.#use();
    if (utterance <= this.#clearedThrough) return;
    this.#queued(utterance, segment).complete = true;
    this.#kick();
  }

  clear(utterance: number): void {
    this.#use();
    this.#stop();
    this.#clearedThrough = Math.max(this.#clearedThrough, utterance);
    this.#queue = this.#queue.filter((one) => one.utterance > utterance);
    this.tell({ type: 'cleared', utterance, playedMs: this.#playedMs.get(utterance) ?? 0 });
    this.#kick();
  }

  pause(): void {
    this.#use();
    this.#paused = true;
    const utterance = this.#queue[0]?.utterance ?? 0;
    this.#stop();
    this.tell({ type: 'paused', utterance, playedMs: this.#playedMs.get(utterance) ?? 0 });
  }

  resume(): void {
    this.#use();
    this.#paused = false;
    this.#kick();
  }

  /** What the call's hold does: nothing is sent, and the queue is kept. */
  hold(held: boolean): void {
    this.#held = held;
    if (held) this.#stop();
    else this.#kick();
  }

  sendDtmf(digits: string): void {
    this.#use();
    this.dtmf.push(digits);
  }

  listenForTones(on: boolean): void {
    this.#use();
    this.listensForTones = on;
  }

  onAudio(listener: (format: AudioFormat, audio: Uint8Array) => void): void {
    this.#audioListener = listener;
  }

  onDrained(listener: () => void): void {
    this.drained = listener;
  }

  onEvent(listener: (event: MediaEvent) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#stop();
    this.closed = true;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  get isPlaying(): boolean {
    return this.#playing !== null;
  }

  tell(event: MediaEvent): void {
    if (!this.closed) this.#listener(event);
  }

  /** User audio that arrives now. */
  receive(lengthMs: number): void {
    this.#audioListener?.(this.format, new Uint8Array(Math.round(lengthMs * 8)));
  }

  #use(): void {
    if (this.closed) this.misused++;
  }

  #queued(utterance: number, segment: number): Queued {
    const found = this.#queue.find((one) => one.utterance === utterance && one.segment === segment);
    if (found !== undefined) return found;
    const one: Queued = { utterance, segment, waitingMs: 0, started: false, complete: false };
    this.#queue.push(one);
    return one;
  }

  #kick(): void {
    const head = this.#queue[0];
    if (head === undefined || this.#paused || this.#held || this.#playing !== null || this.closed) return;
    if (head.waitingMs > 0) {
      const lengthMs = head.waitingMs;
      head.waitingMs = 0;
      const cancel = this.#clock.after(lengthMs, () => {
        this.#stop();
        this.#kick();
      });
      this.#playing = { of: head, fromUs: this.#clock.nowUs(), lengthMs, cancel };
      if (!head.started) {
        head.started = true;
        const playedMs = this.#playedMs.get(head.utterance) ?? 0;
        this.tell({ type: 'segment_started', utterance: head.utterance, segment: head.segment, playedMs });
      }
    } else if (head.complete) {
      this.#queue.shift();
      const playedMs = this.#playedMs.get(head.utterance) ?? 0;
      this.tell({ type: 'segment_ended', utterance: head.utterance, segment: head.segment, playedMs });
      this.#kick();
    }
  }

  /** What is playing stops here; the rest of it waits at the head of the queue. */
  #stop(): void {
    if (this.#playing === null) return;
    const { of, fromUs, lengthMs, cancel } = this.#playing;
    cancel();
    this.#playing = null;
    const elapsedMs = (this.#clock.nowUs() - fromUs) / 1000;
    of.waitingMs += lengthMs - elapsedMs;
    this.#playedMs.set(of.utterance, (this.#playedMs.get(of.utterance) ?? 0) + elapsedMs);
    if (elapsedMs > 0) {
      this.wire.push({
        utterance: of.utterance,
        segment: of.segment,
        fromMs: fromUs / 1000,
        toMs: this.#clock.nowUs() / 1000,
      });
    }
  }
}

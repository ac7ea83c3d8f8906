import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { type Media, type MediaEvent, SPEECH_LASTED_MS } from '../../../engine/ports/media.ts';

/** A segment that waits, or whose rest waits. */
interface QueuedSegment {
  readonly utterance: number;
  readonly segment: number;
  waitingMs: number;
  started: boolean;
  complete: boolean;
}

/** Audio that was sent without a pause. Times in ms of the call. */
export interface SentAudio {
  readonly utterance: number;
  readonly segment: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Playout on the simulated clock, without packets of 20 ms: tests can assert each time from the lengths of texts.
 * `engine/tape/re-simulation/simulated-media.ts` plays in frames, as the wire does, because recorded tapes hold its times.
 */
export class UnframedMedia implements Media {
  readonly format: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8000 };
  readonly sentAudio: SentAudio[] = [];
  readonly sentDtmf: string[] = [];
  listensForTones = false;
  closed = false;
  notifyDrained: () => void = () => {};
  /** How often the engine used the media after `close`. */
  usesAfterClose = 0;
  #queue: QueuedSegment[] = [];
  #playing: {
    readonly segment: QueuedSegment;
    readonly fromUs: number;
    readonly lengthMs: number;
    readonly cancel: () => void;
  } | null = null;
  #paused = false;
  /** Counts starts and ends of the user's speech. */
  #speech = 0;
  #onHold = false;
  #clearedThrough = 0;
  readonly #playedMs = new Map<number, number>();
  #audioListener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
  #listener: (event: MediaEvent) => void = () => {};
  readonly #clock: SimulatedClock;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  play(utterance: number, segment: number, format: AudioFormat, audio: Uint8Array, _isDuckable?: boolean): boolean {
    this.#countUseAfterClose();
    if (utterance <= this.#clearedThrough) return true;
    this.#queuedSegment(utterance, segment).waitingMs += wholeUs(durationMs(format, audio.length));
    this.#playNext();
    return true;
  }

  endSegment(utterance: number, segment: number): void {
    this.#countUseAfterClose();
    if (utterance <= this.#clearedThrough) return;
    this.#queuedSegment(utterance, segment).complete = true;
    this.#playNext();
  }

  clear(utterance: number): void {
    this.#countUseAfterClose();
    this.#stop();
    this.#clearedThrough = Math.max(this.#clearedThrough, utterance);
    this.#queue = this.#queue.filter((queued) => queued.utterance > utterance);
    this.emit({ type: 'cleared', utterance, playedMs: this.#playedMs.get(utterance) ?? 0 });
    this.#playNext();
  }

  pause(): void {
    this.#countUseAfterClose();
    this.#paused = true;
    const utterance = this.#queue[0]?.utterance ?? 0;
    this.#stop();
    this.emit({ type: 'paused', utterance, playedMs: this.#playedMs.get(utterance) ?? 0 });
  }

  resume(): void {
    this.#countUseAfterClose();
    this.#paused = false;
    this.#playNext();
  }

  /** While the call is on hold, nothing is sent and the queue is kept. */
  setOnHold(on: boolean): void {
    this.#onHold = on;
    if (on) this.#stop();
    else this.#playNext();
  }

  sendDtmf(digits: string): void {
    this.#countUseAfterClose();
    this.sentDtmf.push(digits);
  }

  listenForTones(on: boolean): void {
    this.#countUseAfterClose();
    this.listensForTones = on;
  }

  onAudio(listener: (format: AudioFormat, audio: Uint8Array) => void): void {
    this.#audioListener = listener;
  }

  onDrained(listener: () => void): void {
    this.notifyDrained = listener;
  }

  onEvent(listener: (event: MediaEvent) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#stop();
    this.closed = true;
  }

  get isOnHold(): boolean {
    return this.#onHold;
  }

  get isPlaying(): boolean {
    return this.#playing !== null;
  }

  /** Speech that goes on is reported again after 200, 500 and 800 ms, as by the worker. */
  emit(event: MediaEvent): void {
    if (this.closed) return;
    if (event.type === 'speech_started') this.#planLasting(event.audioMs);
    else if (event.type === 'speech_stopped') this.#speech++;
    this.#listener(event);
  }

  #planLasting(audioMs: number): void {
    const speech = ++this.#speech;
    for (const lastedMs of SPEECH_LASTED_MS) {
      this.#clock.after(lastedMs, () => {
        if (speech === this.#speech) this.emit({ type: 'speech_lasted', audioMs, lastedMs });
      });
    }
  }

  /** User audio that arrives now. */
  receive(lengthMs: number): void {
    this.#audioListener?.(this.format, new Uint8Array(Math.round(lengthMs * 8)));
  }

  #countUseAfterClose(): void {
    if (this.closed) this.usesAfterClose++;
  }

  #queuedSegment(utterance: number, segment: number): QueuedSegment {
    const found = this.#queue.find((queued) => queued.utterance === utterance && queued.segment === segment);
    if (found !== undefined) return found;
    const added: QueuedSegment = { utterance, segment, waitingMs: 0, started: false, complete: false };
    this.#queue.push(added);
    return added;
  }

  #playNext(): void {
    const head = this.#queue[0];
    if (head === undefined || this.#paused || this.#onHold || this.#playing !== null || this.closed) return;
    if (head.waitingMs > 0) {
      const lengthMs = head.waitingMs;
      head.waitingMs = 0;
      const cancel = this.#clock.after(lengthMs, () => {
        this.#stop();
        this.#playNext();
      });
      this.#playing = { segment: head, fromUs: this.#clock.nowUs(), lengthMs, cancel };
      if (!head.started) {
        head.started = true;
        const playedMs = this.#playedMs.get(head.utterance) ?? 0;
        this.emit({ type: 'segment_started', utterance: head.utterance, segment: head.segment, playedMs });
      }
    } else if (head.complete) {
      this.#queue.shift();
      const playedMs = this.#playedMs.get(head.utterance) ?? 0;
      this.emit({ type: 'segment_ended', utterance: head.utterance, segment: head.segment, playedMs });
      this.#playNext();
    }
  }

  /** Stops the playing segment. Its rest waits at the head of the queue. */
  #stop(): void {
    if (this.#playing === null) return;
    const { segment: queued, fromUs, lengthMs, cancel } = this.#playing;
    cancel();
    this.#playing = null;
    const elapsedMs = (this.#clock.nowUs() - fromUs) / 1000;
    queued.waitingMs += wholeUs(lengthMs - elapsedMs);
    this.#playedMs.set(queued.utterance, (this.#playedMs.get(queued.utterance) ?? 0) + elapsedMs);
    if (elapsedMs > 0) {
      this.sentAudio.push({
        utterance: queued.utterance,
        segment: queued.segment,
        fromMs: fromUs / 1000,
        toMs: this.#clock.nowUs() / 1000,
      });
    }
  }
}

/** Whole µs, as on the clock: a smaller remainder of floating point would never be played. */
function wholeUs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

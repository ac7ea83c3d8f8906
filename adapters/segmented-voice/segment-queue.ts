import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { SpokenWord, VoiceEvent, VoiceStream } from '../../engine/ports/voice.ts';
import { WholeSamples } from '../audio/whole-samples.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { SpeechText } from '../text-normalisation/speech-text.ts';
import { WordTimes } from '../text-normalisation/word-times.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from './segment-source.ts';

export interface VoiceDeadlines {
  /** From the request of a segment without pending ones before it to its first audio, connecting included. */
  readonly firstAudioMs: number;
  /** Longest pause between two chunks of a segment. */
  readonly stallMs: number;
}

/** The user hears this as dead air. Hosted voices take 0.1–0.5 s to their first audio. */
export const VOICE_DEADLINES: VoiceDeadlines = { firstAudioMs: 4_000, stallMs: 3_000 };

/** Bound of the audio that waits for its turn: four minutes at 8 kHz. A voice that sends more has failed. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

type SegmentEvent =
  | { readonly type: 'audio'; readonly format: AudioFormat; readonly audio: Uint8Array }
  | { readonly type: 'words'; readonly words: readonly SpokenWord[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: ProviderError };

interface QueuedSegment {
  readonly segment: number;
  readonly speech: SpeechText;
  readonly wordTimes: WordTimes;
  /** Events that wait for the segment's turn. */
  readonly buffered: SegmentEvent[];
  bufferedBytes: number;
  samples: WholeSamples | undefined;
  run: SegmentRun | undefined;
  isOver: boolean;
}

export interface SegmentQueueOptions {
  readonly provider: string;
  readonly source: SegmentSource;
  readonly deadlines: VoiceDeadlines;
  /** The text for the voice, with a mapping back to the written words. */
  readonly prepare: (text: string) => SpeechText;
  readonly emit: (event: VoiceEvent) => void;
}

/**
 * A call's segments, emitted in the order of the requests, even if their audio arrives in another order. The next segments start
 * while one is emitted, so that sentences follow without a pause; their events wait for their turn. A failed segment fails all
 * after it, and the engine requests them again.
 */
export class SegmentQueue implements VoiceStream {
  readonly #options: SegmentQueueOptions;
  #emit: ((event: VoiceEvent) => void) | undefined;
  /** In order; the first is being emitted. The engine bounds it: the sentences of one agent turn. */
  #queue: QueuedSegment[] = [];
  #head: QueuedSegment | undefined;
  /** Segments whose failure is being emitted; a `cancel` inside an event withdraws the rest. */
  #failing: number[] = [];
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: SegmentQueueOptions) {
    this.#options = options;
    this.#emit = options.emit;
  }

  speak(segment: number, text: string): void {
    if (this.#emit === undefined) return;
    const speech = this.#options.prepare(text);
    this.#queue.push({
      segment,
      speech,
      wordTimes: new WordTimes(speech),
      buffered: [],
      bufferedBytes: 0,
      samples: undefined,
      run: undefined,
      isOver: false,
    });
    this.#begin();
  }

  cancel(): void {
    this.#failing = [];
    this.#dropAll();
  }

  close(): void {
    if (this.#emit === undefined) return;
    this.#emit = undefined;
    this.cancel();
    this.#options.source.close();
  }

  #begin(): void {
    const { source, deadlines } = this.#options;
    for (const queued of this.#queue.slice(0, source.segmentsMax)) {
      if (queued.run !== undefined) continue;
      const sink = this.#sinkOf(queued);
      queued.run = queued.speech.spoken === '' ? silence(sink) : source.begin(queued.speech.spoken, sink);
    }
    const head = this.#queue[0];
    if (head === this.#head) return;
    this.#head = head;
    if (head === undefined) {
      clearTimeout(this.#deadline);
      return;
    }
    this.#await(deadlines.firstAudioMs);
    head.run?.becomeFirst?.();
  }

  #sinkOf(queued: QueuedSegment): SegmentSink {
    return {
      audio: (format, audio) => this.#take(queued, { type: 'audio', format, audio }),
      words: (words) => this.#take(queued, { type: 'words', words }),
      done: () => this.#take(queued, { type: 'done' }),
      failed: (error) => this.#take(queued, { type: 'failed', error }),
    };
  }

  #take(queued: QueuedSegment, event: SegmentEvent): void {
    if (queued.isOver) return;
    if (queued !== this.#queue[0]) {
      this.#buffer(queued, event);
      return;
    }
    this.#report(queued, event);
    this.#emitBuffered();
  }

  #buffer(queued: QueuedSegment, event: SegmentEvent): void {
    queued.buffered.push(event);
    if (event.type === 'audio') queued.bufferedBytes += event.audio.length;
    if (queued.bufferedBytes <= BUFFERED_BYTES_MAX) return;
    this.#fail(providerFailure(this.#options.provider, 'malformed', 'more audio than any segment has'));
  }

  #emitBuffered(): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const event = head.buffered.shift();
      if (event === undefined) return;
      this.#report(head, event);
    }
  }

  #report(queued: QueuedSegment, event: SegmentEvent): void {
    switch (event.type) {
      case 'audio':
        this.#await(this.#options.deadlines.stallMs);
        this.#emitAudio(queued, event.format, event.audio);
        return;
      case 'words':
        this.#emitWords(queued, queued.wordTimes.take(event.words));
        return;
      case 'done':
        this.#emitWords(queued, queued.wordTimes.rest());
        // The receiver of the words may have cancelled.
        if (queued.isOver) return;
        queued.isOver = true;
        this.#queue.shift();
        this.#begin();
        this.#emit?.({ type: 'done', segment: queued.segment });
        return;
      case 'failed':
        this.#fail(event.error);
    }
  }

  #emitAudio(queued: QueuedSegment, format: AudioFormat, bytes: Uint8Array): void {
    queued.samples ??= new WholeSamples(format);
    const audio = queued.samples.take(bytes);
    if (audio.length > 0) this.#emit?.({ type: 'audio', segment: queued.segment, format, audio });
  }

  #emitWords(queued: QueuedSegment, words: readonly SpokenWord[]): void {
    if (words.length > 0) this.#emit?.({ type: 'words', segment: queued.segment, words });
  }

  #await(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#options.source.abandon();
      this.#fail(providerFailure(this.#options.provider, 'timeout', `the voice sent nothing for ${ms} ms`));
    }, ms);
  }

  #fail(error: ProviderError): void {
    const failing = this.#queue.map((queued) => queued.segment);
    this.#dropAll();
    this.#failing = failing;
    for (let segment = this.#failing.shift(); segment !== undefined; segment = this.#failing.shift()) {
      this.#emit?.({ type: 'failed', segment, error });
    }
  }

  #dropAll(): void {
    clearTimeout(this.#deadline);
    const dropped = this.#queue;
    this.#queue = [];
    this.#head = undefined;
    for (const queued of dropped) {
      queued.isOver = true;
      queued.run?.drop();
    }
  }
}

/** A text without sound, such as a single emoji, ends at once. */
function silence(sink: SegmentSink): SegmentRun {
  const soon = setImmediate(() => sink.done());
  return { drop: () => clearImmediate(soon) };
}

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
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

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
  readonly kept: SegmentEvent[];
  keptBytes: number;
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
 * A call's segments, emitted in the order given, whatever order their audio arrives in. The next segments start while one is
 * emitted, so that sentences follow without a pause; their events wait for their turn. A failed segment fails all behind it,
 * and the engine requests them again.
 */
export class SegmentQueue implements VoiceStream {
  readonly #options: SegmentQueueOptions;
  #emit: ((event: VoiceEvent) => void) | undefined;
  /** In order; the first is being emitted. The engine bounds it: the sentences of one agent turn. */
  #line: QueuedSegment[] = [];
  #leading: QueuedSegment | undefined;
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
    this.#line.push({
      segment,
      speech,
      wordTimes: new WordTimes(speech),
      kept: [],
      keptBytes: 0,
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
    for (const asked of this.#line.slice(0, source.segmentsMax)) {
      if (asked.run !== undefined) continue;
      const sink = this.#sinkOf(asked);
      asked.run = asked.speech.spoken === '' ? silence(sink) : source.begin(asked.speech.spoken, sink);
    }
    const head = this.#line[0];
    if (head === this.#leading) return;
    this.#leading = head;
    if (head === undefined) {
      clearTimeout(this.#deadline);
      return;
    }
    this.#await(deadlines.firstAudioMs);
    head.run?.lead?.();
  }

  #sinkOf(asked: QueuedSegment): SegmentSink {
    return {
      audio: (format, audio) => this.#take(asked, { type: 'audio', format, audio }),
      words: (words) => this.#take(asked, { type: 'words', words }),
      done: () => this.#take(asked, { type: 'done' }),
      failed: (error) => this.#take(asked, { type: 'failed', error }),
    };
  }

  #take(asked: QueuedSegment, event: SegmentEvent): void {
    if (asked.isOver) return;
    if (asked !== this.#line[0]) {
      this.#keep(asked, event);
      return;
    }
    this.#report(asked, event);
    this.#emitKept();
  }

  #keep(asked: QueuedSegment, event: SegmentEvent): void {
    asked.kept.push(event);
    if (event.type === 'audio') asked.keptBytes += event.audio.length;
    if (asked.keptBytes <= KEPT_BYTES_MAX) return;
    this.#fail(providerFailure(this.#options.provider, 'malformed', 'more audio than any segment has'));
  }

  #emitKept(): void {
    for (let head = this.#line[0]; head !== undefined; head = this.#line[0]) {
      const event = head.kept.shift();
      if (event === undefined) return;
      this.#report(head, event);
    }
  }

  #report(asked: QueuedSegment, event: SegmentEvent): void {
    switch (event.type) {
      case 'audio':
        this.#await(this.#options.deadlines.stallMs);
        this.#emitAudio(asked, event.format, event.audio);
        return;
      case 'words':
        this.#emitWords(asked, asked.wordTimes.take(event.words));
        return;
      case 'done':
        this.#emitWords(asked, asked.wordTimes.rest());
        // The receiver of the words may have cancelled.
        if (asked.isOver) return;
        asked.isOver = true;
        this.#line.shift();
        this.#begin();
        this.#emit?.({ type: 'done', segment: asked.segment });
        return;
      case 'failed':
        this.#fail(event.error);
    }
  }

  #emitAudio(asked: QueuedSegment, format: AudioFormat, bytes: Uint8Array): void {
    asked.samples ??= new WholeSamples(format);
    const audio = asked.samples.take(bytes);
    if (audio.length > 0) this.#emit?.({ type: 'audio', segment: asked.segment, format, audio });
  }

  #emitWords(asked: QueuedSegment, words: readonly SpokenWord[]): void {
    if (words.length > 0) this.#emit?.({ type: 'words', segment: asked.segment, words });
  }

  #await(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#options.source.abandon();
      this.#fail(providerFailure(this.#options.provider, 'timeout', `the voice sent nothing for ${ms} ms`));
    }, ms);
  }

  #fail(error: ProviderError): void {
    const failing = this.#line.map((asked) => asked.segment);
    this.#dropAll();
    this.#failing = failing;
    for (let segment = this.#failing.shift(); segment !== undefined; segment = this.#failing.shift()) {
      this.#emit?.({ type: 'failed', segment, error });
    }
  }

  #dropAll(): void {
    clearTimeout(this.#deadline);
    const dropped = this.#line;
    this.#line = [];
    this.#leading = undefined;
    for (const asked of dropped) {
      asked.isOver = true;
      asked.run?.drop();
    }
  }
}

/** A text without sound, such as a single emoji, ends at once. */
function silence(sink: SegmentSink): SegmentRun {
  const soon = setImmediate(() => sink.done());
  return { drop: () => clearImmediate(soon) };
}

import type { AudioFormat } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { SpokenWord, VoiceEvent, VoiceStream } from '../../engine/ports/voice.ts';
import { WholeSamples } from '../audio/whole-samples.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { SpeechText } from '../text-normalisation/speech-text.ts';
import { WordTimes } from '../text-normalisation/word-times.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from './segment-source.ts';

export interface VoiceDeadlines {
  /** Segment asked for, and nothing before it outstanding → its first audio; the dial included. */
  readonly firstAudioMs: number;
  /** Between two chunks of a segment. */
  readonly stallMs: number;
}

/** Dead air of this length is a failure that the caller hears; hosted voices take 0.1–0.5 s to their first audio. */
export const VOICE_DEADLINES: VoiceDeadlines = { firstAudioMs: 4_000, stallMs: 3_000 };

/** What comes of a segment before its turn: four minutes at 8 kHz. A voice that sends more has failed. */
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
  /** What came before its turn. */
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
  /** The text as the voice gets it, with the way back to the words as they were written. */
  readonly prepare: (text: string) => SpeechText;
  readonly emit: (event: VoiceEvent) => void;
}

/**
 * A call's segments, told in the order given whatever order their audio comes in. The next ones are begun while one is
 * still being told, so that no pause stands between sentences; what comes of them is kept until their turn. With a
 * segment fails everything behind it, for the rules to ask anew.
 */
export class SegmentQueue implements VoiceStream {
  readonly #options: SegmentQueueOptions;
  #emit: ((event: VoiceEvent) => void) | undefined;
  /** In order; the first is being told. Never more than the sentences of the reply being spoken. */
  #line: QueuedSegment[] = [];
  #leading: QueuedSegment | undefined;
  /** Segments whose failure is being told; a `cancel` from inside that takes the rest back. */
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
        // The listener of the words may have cancelled.
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

/** A text that has no sound, such as a lone emoji, ends without any. */
function silence(sink: SegmentSink): SegmentRun {
  const soon = setImmediate(() => sink.done());
  return { drop: () => clearImmediate(soon) };
}

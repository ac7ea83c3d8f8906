import { type AudioFormat, bytesPerSample, durationMs } from '../../engine/ports/audio-format.ts';
import type { Voice, VoiceEvent, VoiceStream } from '../../engine/ports/voice.ts';
import type { TapeAnswers, VoiceAnswer } from '../../engine/tape/answers.ts';
import { providerFailure } from '../provider-failure.ts';
import type { After } from './after.ts';
import { firstDifference, type OnDifference } from './difference.ts';

/** How much audio each event holds, and how fast the events come: twenty times as fast as it plays, as providers do. */
const CHUNK_MS = 200;
const CHUNK_EVERY_MS = 10;

/**
 * The n-th segment asked for is the n-th recorded one, cut out of `voice.wav` (`audio`: its samples, without the
 * header) and told in chunks after the recorded delay. A text that is not the recorded one is told to `onDifference` and
 * the recorded audio still plays; past the end of the tape the segment fails.
 */
export function createTapeVoice(
  answers: Pick<TapeAnswers, 'format' | 'voices'>,
  audio: Uint8Array,
  after: After,
  onDifference: OnDifference,
): Voice {
  let nth = 0;
  return {
    open: (_options, emit) =>
      new TapeVoiceStream(answers.format, audio, after, emit, (text) => {
        const recorded = answers.voices[nth];
        const difference =
          recorded === undefined
            ? { path: 'end', recorded, asked: text }
            : firstDifference(recorded.text, text, 'text');
        if (difference !== undefined) onDifference({ kind: 'segment', nth, ...difference });
        nth++;
        return recorded;
      }),
  };
}

interface Asked {
  readonly segment: number;
  readonly answer: VoiceAnswer | undefined;
}

class TapeVoiceStream implements VoiceStream {
  readonly #format: AudioFormat;
  readonly #audio: Uint8Array;
  readonly #after: After;
  readonly #emit: (event: VoiceEvent) => void;
  readonly #recorded: (text: string) => VoiceAnswer | undefined;
  #queue: Asked[] = [];
  /** The segment being told, which has one timer at any time. */
  #current: Asked | undefined;
  #takeBack: () => void = () => undefined;
  #isClosed = false;

  constructor(
    format: AudioFormat,
    audio: Uint8Array,
    after: After,
    emit: (event: VoiceEvent) => void,
    recorded: (text: string) => VoiceAnswer | undefined,
  ) {
    this.#format = format;
    this.#audio = audio;
    this.#after = after;
    this.#emit = emit;
    this.#recorded = recorded;
  }

  speak(segment: number, text: string): void {
    if (this.#isClosed) return;
    this.#queue.push({ segment, answer: this.#recorded(text) });
    if (this.#current === undefined) this.#next();
  }

  cancel(): void {
    this.#queue = [];
    this.#current = undefined;
    this.#takeBack();
  }

  close(): void {
    this.#isClosed = true;
    this.cancel();
  }

  #next(): void {
    const asked = this.#queue.shift();
    this.#current = asked;
    if (asked === undefined) return;
    const { segment, answer } = asked;
    if (answer === undefined) {
      const error = providerFailure('tape', 'unavailable', 'the tape has no further segment', { retryable: false });
      this.#takeBack = this.#after(0, () => this.#end({ type: 'failed', segment, error }));
      return;
    }
    const from = this.#bytesAt(answer.offsetMs);
    const samples = this.#audio.subarray(from, this.#bytesAt(answer.offsetMs + answer.durationMs));
    const { error } = answer;
    const end: VoiceEvent = error === undefined ? { type: 'done', segment } : { type: 'failed', segment, error };
    this.#takeBack = this.#after(answer.delayMs, () => {
      if (answer.words !== undefined) this.#emit({ type: 'words', segment, words: answer.words });
      // A `cancel` from inside `emit` has taken the segment back.
      if (this.#current === asked) this.#chunk(segment, samples, 0, end);
    });
  }

  #chunk(segment: number, samples: Uint8Array, from: number, end: VoiceEvent): void {
    const to = from + this.#bytesAt(CHUNK_MS);
    const audio = samples.slice(from, to);
    if (to >= samples.length) {
      this.#takeBack = this.#after(0, () => this.#end(end));
    } else {
      this.#takeBack = this.#after(CHUNK_EVERY_MS, () => this.#chunk(segment, samples, to, end));
    }
    if (durationMs(this.#format, audio.length) > 0) this.#emit({ type: 'audio', segment, format: this.#format, audio });
  }

  #end(event: VoiceEvent): void {
    this.#next();
    this.#emit(event);
  }

  #bytesAt(ms: number): number {
    return Math.round((ms * this.#format.sampleRateHz) / 1000) * bytesPerSample(this.#format);
  }
}

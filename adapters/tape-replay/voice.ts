import { bytesPerSample } from '../../base/audio/audio-format.ts';
import type { Voice, VoiceEvent, VoiceStream } from '../../engine/ports/voice.ts';
import type { RecordedSpeech } from '../../engine/tape/re-simulation/recorded-responses.ts';
import type { OnDifference } from '../../engine/tape/re-simulation/request-difference.ts';
import type { ReplayTimer } from './replay-timer.ts';
import type { TapeSpeech } from './tape-speech.ts';

/** Audio per event, and the interval of events: twenty times faster than playout, as providers send it. */
const CHUNK_MS = 200;
const CHUNK_EVERY_MS = 10;
/** A text that is not on the tape becomes silence of about this length per character. */
const CHARACTER_MS = 65;

/**
 * Each segment replays the next recorded one with the same text, in chunks after the recorded delay. A segment that
 * an interruption skipped therefore shifts none of the later ones. A text that is not on the tape is reported to
 * `onDifference` and replaced by silence of its estimated length.
 */
export function createTapeVoice(
  voices: readonly RecordedSpeech[],
  speech: TapeSpeech,
  after: ReplayTimer,
  onDifference: OnDifference,
): Voice {
  const used = new Set<RecordedSpeech>();
  let requests = 0;
  const find = (text: string): RecordedSpeech => {
    const index = requests++;
    const found = voices.find((answer) => answer.text === text && !used.has(answer));
    if (found !== undefined) {
      used.add(found);
      return found;
    }
    const recorded = voices[index];
    const path = recorded === undefined ? 'end' : 'text';
    onDifference({ kind: 'segment', index, path, recorded: recorded?.text, actual: text });
    const delayMs = recorded?.delayMs ?? voices.at(-1)?.delayMs ?? 0;
    return { text, delayMs, durationMs: text.length * CHARACTER_MS, offsetMs: null };
  };
  return createCannedVoice(find, speech, after);
}

/** Plays the result of `find` for each text, in order. */
export function createCannedVoice(
  find: (text: string) => RecordedSpeech,
  speech: TapeSpeech,
  after: ReplayTimer,
): Voice {
  return { open: (_options, emit) => new CannedStream(find, speech, after, emit) };
}

interface QueuedSegment {
  readonly segment: number;
  readonly answer: RecordedSpeech;
}

class CannedStream implements VoiceStream {
  readonly #find: (text: string) => RecordedSpeech;
  readonly #speech: TapeSpeech;
  readonly #after: ReplayTimer;
  readonly #emit: (event: VoiceEvent) => void;
  #queue: QueuedSegment[] = [];
  /** The current segment, which has one timer at any time. */
  #current: QueuedSegment | undefined;
  #takeBack: () => void = () => undefined;
  #isClosed = false;

  constructor(
    find: (text: string) => RecordedSpeech,
    speech: TapeSpeech,
    after: ReplayTimer,
    emit: (event: VoiceEvent) => void,
  ) {
    this.#find = find;
    this.#speech = speech;
    this.#after = after;
    this.#emit = emit;
  }

  speak(segment: number, text: string): void {
    if (this.#isClosed) return;
    this.#queue.push({ segment, answer: this.#find(text) });
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
    const queued = this.#queue.shift();
    this.#current = queued;
    if (queued === undefined) return;
    const { segment, answer } = queued;
    const samples = this.#speech.samples(answer);
    this.#takeBack = this.#after(answer.delayMs, () => {
      if (answer.words !== undefined) this.#emit({ type: 'words', segment, words: answer.words });
      // A `cancel` from inside `emit` has removed the segment.
      if (this.#current === queued) this.#chunk(queued, samples, 0);
    });
  }

  #chunk(queued: QueuedSegment, samples: Uint8Array, from: number): void {
    const { segment, answer } = queued;
    const { format } = this.#speech;
    const to = from + Math.round((CHUNK_MS * format.sampleRateHz) / 1000) * bytesPerSample(format);
    const audio = samples.slice(from, to);
    if (to < samples.length) {
      this.#takeBack = this.#after(CHUNK_EVERY_MS, () => this.#chunk(queued, samples, to));
    } else {
      const { error } = answer;
      const end: VoiceEvent = error === undefined ? { type: 'done', segment } : { type: 'failed', segment, error };
      this.#takeBack = this.#after(0, () => this.#end(end));
    }
    if (audio.length > 0) this.#emit({ type: 'audio', segment, format, audio });
  }

  #end(event: VoiceEvent): void {
    this.#next();
    this.#emit(event);
  }
}

import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import { PhraseRecording } from './phrase-recording.ts';
import type { PhraseStore } from './phrase-store.ts';

interface Making {
  readonly segment: number;
  readonly key: string;
  readonly recording: PhraseRecording;
  readonly release: () => void;
}

/**
 * Makes missing phrases one at a time on its own stream, while the call's voice is quiet. It stops after the first failure.
 */
export class PhraseMaker {
  readonly #voice: Voice;
  readonly #store: PhraseStore;
  readonly #keyOf: (text: string) => string;
  readonly #options: VoiceOptions;
  readonly #quietMs: number;
  readonly #isQuiet: () => boolean;
  #missing: string[] = [];
  #stream: VoiceStream | null = null;
  #making: Making | null = null;
  #timer: NodeJS.Timeout | undefined;
  #segments = 0;
  #isClosed = false;

  /** `isQuiet` is checked every `quietMs`: true means that the voice was quiet for that long. */
  constructor(
    voice: Voice,
    store: PhraseStore,
    keyOf: (text: string) => string,
    options: VoiceOptions,
    quietMs: number,
    isQuiet: () => boolean,
  ) {
    this.#voice = voice;
    this.#store = store;
    this.#keyOf = keyOf;
    this.#options = options;
    this.#quietMs = quietMs;
    this.#isQuiet = isQuiet;
  }

  make(texts: readonly string[]): void {
    if (this.#isClosed || texts.length === 0) return;
    this.#missing = [...texts];
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#making?.release();
    this.#making = null;
    this.#stream?.close();
    this.#stream = null;
  }

  #wait(): void {
    if (this.#isClosed) return;
    if (this.#missing.length === 0) {
      this.close();
      return;
    }
    this.#timer = setTimeout(() => this.#begin(), this.#quietMs);
    this.#timer.unref();
  }

  #begin(): void {
    const [text] = this.#missing;
    if (text === undefined || !this.#isQuiet()) {
      this.#wait();
      return;
    }
    this.#missing.shift();
    const key = this.#keyOf(text);
    // This call may have spoken the phrase already, or another call is making it.
    const claim = this.#store.recall(key) === null ? this.#store.claim(key) : null;
    if (claim === null) {
      this.#wait();
      return;
    }
    const segment = ++this.#segments;
    this.#making = { segment, key, recording: new PhraseRecording(), release: claim.release };
    try {
      this.#stream ??= this.#voice.open(this.#options, (event) => this.#take(event));
      this.#stream.speak(segment, text);
    } catch {
      this.close();
    }
  }

  #take(event: VoiceEvent): void {
    const making = this.#making;
    if (making === null || event.segment !== making.segment) return;
    making.recording.take(event);
    if (event.type === 'failed') this.close();
    if (event.type !== 'done') return;
    const phrase = making.recording.phrase();
    if (phrase !== null) this.#store.keep(making.key, phrase);
    making.release();
    this.#making = null;
    this.#wait();
  }
}

import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import { providerFailure } from '../../provider-failure/provider-failure.ts';
import { type Phrase, phraseKey } from './phrase.ts';
import { PhraseMaker } from './phrase-maker.ts';
import { PhraseRecording } from './phrase-recording.ts';
import type { PhraseStore } from './phrase-store.ts';

/** Silence of the call's voice before a missing phrase is made: the two must not use the provider at the same time. Unit: ms. */
const QUIET_MS = 1_000;
/** Audio of one event: 200 ms of mu-law. */
const CHUNK_BYTES = 1_600;

/**
 * Speaks the cached ones of `VoiceOptions.phrases` immediately, without the provider, even while the provider is down. The voice
 * speaks all other segments; the order of the requests is kept. A missing phrase is recorded while the call speaks it, or made on
 * a separate stream. `server` is the base URL of the voice.
 */
export function withPhraseCache(voice: Voice, store: PhraseStore, server: string, quietMs = QUIET_MS): Voice {
  return {
    open: (options, emit) => {
      const keyOf = (text: string) => phraseKey(options, text, server);
      return new CachedStream(voice, store, keyOf, options, emit, quietMs);
    },
  };
}

/** A segment that has not ended. */
type PendingSegment = { readonly segment: number } & (
  | { readonly type: 'phrase'; readonly phrase: Phrase }
  | { readonly type: 'spoken'; readonly text: string; readonly recording: PhraseRecording | null }
  | { readonly type: 'failed'; readonly error: ProviderError }
);

class CachedStream implements VoiceStream {
  readonly #store: PhraseStore;
  readonly #keyOf: (text: string) => string;
  readonly #options: VoiceOptions;
  readonly #maker: PhraseMaker;
  /** Phrases of the options, by text; null while a phrase is not loaded. */
  readonly #phrases: Map<string, Phrase | null>;
  #emit: ((event: VoiceEvent) => void) | undefined;
  #inner: VoiceStream | null = null;
  /** Why `voice.open` failed, if it did. */
  #openFailure: unknown = null;
  #pending: PendingSegment[] = [];
  #lastActiveMs = performance.now();

  constructor(
    voice: Voice,
    store: PhraseStore,
    keyOf: (text: string) => string,
    options: VoiceOptions,
    emit: (event: VoiceEvent) => void,
    quietMs: number,
  ) {
    this.#store = store;
    this.#keyOf = keyOf;
    this.#options = options;
    this.#emit = emit;
    const texts = options.phrases ?? [];
    this.#phrases = new Map(texts.map((text) => [text, store.recall(keyOf(text))]));
    const isQuiet = () => this.#pending.length === 0 && performance.now() - this.#lastActiveMs >= quietMs;
    this.#maker = new PhraseMaker(voice, store, keyOf, options, quietMs, isQuiet);
    try {
      this.#inner = voice.open(options, (event) => this.#onInnerEvent(event));
    } catch (cause) {
      // Cached phrases can still be spoken.
      this.#openFailure = cause;
    }
    void this.#load();
  }

  speak(segment: number, text: string): void {
    if (this.#emit === undefined) return;
    this.#lastActiveMs = performance.now();
    const phrase = this.#phrases.get(text) ?? null;
    if (phrase !== null) this.#pending.push({ type: 'phrase', segment, phrase });
    else this.#askInner(segment, text);
    // The port never emits an event inside `speak`.
    setImmediate(() => this.#settle());
  }

  cancel(): void {
    this.#pending = [];
    this.#inner?.cancel();
  }

  close(): void {
    this.#emit = undefined;
    this.#pending = [];
    this.#maker.close();
    this.#inner?.close();
  }

  #askInner(segment: number, text: string): void {
    const recording = this.#phrases.has(text) ? new PhraseRecording() : null;
    try {
      if (this.#inner === null) throw this.#openFailure;
      this.#pending.push({ type: 'spoken', segment, text, recording });
      this.#inner.speak(segment, text);
    } catch (cause) {
      const error = providerFailure(this.#options.provider, 'unavailable', String(cause));
      this.#pending = [
        ...this.#pending.filter((pending) => pending.segment !== segment),
        { type: 'failed', segment, error },
      ];
    }
  }

  /** Ends the segments at the head that do not wait for the provider. The engine may cancel or close inside each event. */
  #settle(): void {
    for (let head = this.#pending[0]; head !== undefined && head.type !== 'spoken'; head = this.#pending[0]) {
      if (head.type === 'phrase') this.#sayPhrase(head, head.phrase);
      else this.#end(head, { type: 'failed', segment: head.segment, error: head.error });
    }
  }

  #sayPhrase(head: PendingSegment, { format, audio, words }: Phrase): void {
    const { segment } = head;
    if (words.length > 0) this.#emit?.({ type: 'words', segment, words });
    for (let at = 0; at < audio.length && this.#pending[0] === head; at += CHUNK_BYTES) {
      // A copy: the bytes belong to the receiver.
      const chunk = Uint8Array.from(audio.subarray(at, at + CHUNK_BYTES));
      this.#emit?.({ type: 'audio', segment, format, audio: chunk });
    }
    if (this.#pending[0] === head) this.#end(head, { type: 'done', segment });
  }

  #end(head: PendingSegment, event: VoiceEvent): void {
    if (this.#pending[0] !== head) return;
    this.#pending.shift();
    this.#emit?.(event);
  }

  /** An event of the inner voice. Its segments and the cached ones end in the order of the requests. */
  #onInnerEvent(event: VoiceEvent): void {
    if (!this.#pending.some(({ type, segment }) => type === 'spoken' && segment === event.segment)) return;
    this.#lastActiveMs = performance.now();
    this.#settle();
    const [head] = this.#pending;
    if (head?.type !== 'spoken' || head.segment !== event.segment) return;
    head.recording?.take(event);
    if (event.type !== 'done' && event.type !== 'failed') {
      this.#emit?.(event);
      return;
    }
    if (event.type === 'done') this.#keep(head.text, head.recording?.phrase() ?? null);
    this.#end(head, event);
    this.#settle();
  }

  #keep(text: string, phrase: Phrase | null): void {
    if (phrase === null) return;
    this.#phrases.set(text, phrase);
    this.#store.keep(this.#keyOf(text), phrase);
  }

  /** Loads phrases that are not in memory, and makes those that are not in the store. */
  async #load(): Promise<void> {
    const missing: string[] = [];
    for (const [text, known] of this.#phrases) {
      if (known !== null) continue;
      const phrase = await this.#store.read(this.#keyOf(text));
      if (this.#emit === undefined) return;
      if (phrase === null) missing.push(text);
      // The call may have spoken the phrase while it was read.
      else if (this.#phrases.get(text) === null) this.#phrases.set(text, phrase);
    }
    this.#maker.make(missing.filter((text) => this.#phrases.get(text) === null));
  }
}

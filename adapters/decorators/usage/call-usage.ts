import { durationMs } from '../../../base/audio/audio-format.ts';
import type { ModelRequest, ModelUsage } from '../../../engine/ports/language-model.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
} from '../../../engine/ports/transcriber.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import type { Decorator } from '../decorator.ts';

interface ProviderModel {
  readonly provider: string;
  /** Null: the provider's default. */
  readonly model: string | null;
}

/** Usage of one model of a provider by one call. */
export type UsageEntry = ProviderModel &
  (
    | { readonly kind: 'transcriber'; audioMs: number }
    | { readonly kind: 'llm'; inputTokens: number; cachedInputTokens: number; outputTokens: number }
    | { readonly kind: 'voice'; characters: number }
  );

/**
 * A call's usage by provider and model. A transcriber counts the audio that it received, a language model the tokens that the
 * provider reports. A voice counts the characters of its segments: cached phrases too, but not a segment that failed before
 * its first audio.
 */
export class CallUsage {
  readonly #entries = new Map<string, UsageEntry>();

  get entries(): readonly UsageEntry[] {
    return [...this.#entries.values()];
  }

  readonly decorator: Decorator = {
    transcriber: (inner) => ({
      traitsOf: (model) => inner.traitsOf(model),
      open: (options, emit) => this.#countedTranscriber(inner, options, emit),
    }),
    languageModel: (inner) => ({
      generate: (request, emit) =>
        inner.generate(request, (event) => {
          if (event.type === 'done') this.#tokens(request, event.usage);
          emit(event);
        }),
    }),
    voice: (inner) => ({ open: (options, emit) => this.#countedVoice(inner, options, emit) }),
  };

  #countedTranscriber(
    inner: Transcriber,
    options: TranscriberOptions,
    emit: (event: TranscriberEvent) => void,
  ): TranscriberStream {
    const stream = inner.open(options, emit);
    const { configure } = stream;
    const entry = this.#transcriber({ provider: options.provider, model: options.model ?? null });
    return {
      write: (audio) => {
        entry.audioMs += durationMs(options.format, audio.length);
        stream.write(audio);
      },
      finalize: () => stream.finalize(),
      ...(configure === undefined ? {} : { configure: configure.bind(stream) }),
      close: () => stream.close(),
    };
  }

  #countedVoice(inner: Voice, options: VoiceOptions, emit: (event: VoiceEvent) => void): VoiceStream {
    /** Characters of the segments that have no event yet. */
    const waiting = new Map<number, number>();
    const stream = inner.open(options, (event) => {
      if (event.type === 'failed') this.#voice(options).characters -= waiting.get(event.segment) ?? 0;
      waiting.delete(event.segment);
      emit(event);
    });
    return {
      speak: (segment, text) => {
        this.#voice(options).characters += text.length;
        waiting.set(segment, text.length);
        stream.speak(segment, text);
      },
      cancel: () => {
        waiting.clear();
        stream.cancel();
      },
      close: () => stream.close(),
    };
  }

  #transcriber(providerModel: ProviderModel) {
    const key = keyOf('transcriber', providerModel);
    const found = this.#entries.get(key);
    if (found?.kind === 'transcriber') return found;
    const entry = { kind: 'transcriber' as const, ...providerModel, audioMs: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  #voice({ model, name, provider }: VoiceOptions) {
    // A Deepgram voice name includes the model, so the name decides the price.
    const providerModel = { provider, model: model ?? name };
    const key = keyOf('voice', providerModel);
    const found = this.#entries.get(key);
    if (found?.kind === 'voice') return found;
    const entry = { kind: 'voice' as const, ...providerModel, characters: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  #tokens({ model, provider }: ModelRequest, usage: ModelUsage | undefined): void {
    if (usage === undefined) return;
    const key = keyOf('llm', { provider, model });
    const found = this.#entries.get(key);
    const entry =
      found?.kind === 'llm'
        ? found
        : { kind: 'llm' as const, provider, model, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    entry.inputTokens += usage.inputTokens;
    entry.cachedInputTokens += usage.cachedInputTokens ?? 0;
    entry.outputTokens += usage.outputTokens;
    this.#entries.set(key, entry);
  }
}

function keyOf(kind: UsageEntry['kind'], { model, provider }: ProviderModel): string {
  return JSON.stringify([kind, provider, model]);
}

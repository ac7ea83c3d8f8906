import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { ModelRequest, ModelUsage } from '../../../engine/ports/language-model.ts';
import type { VoiceOptions } from '../../../engine/ports/voice.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import type { CallProviders } from '../providers/call-providers.ts';

interface Served {
  readonly provider: string;
  /** null: the default model of the provider. */
  readonly model: string | null;
}

/** Usage of one model of a provider in a call. */
export type UsageEntry = Served &
  (
    | { readonly kind: 'transcriber'; audioMs: number }
    | { readonly kind: 'llm'; inputTokens: number; cachedInputTokens: number; outputTokens: number }
    | { readonly kind: 'voice'; characters: number }
  );

/**
 * Usage of a call by provider, counted in front of the adapters. Transcribers: audio sent. Voices: characters requested, including
 * cached phrases, without characters that failed before any audio. Language models: tokens that the provider reports.
 */
export class CallUsage {
  readonly #entries = new Map<string, UsageEntry>();

  get entries(): readonly UsageEntry[] {
    return [...this.#entries.values()];
  }

  /** Wraps the adapters with counters. */
  counting(providers: CallProviders): CallProviders {
    const { model, transcriber, voice } = providers;
    return {
      ...providers,
      transcriber: {
        traitsOf: (name) => transcriber.traitsOf(name),
        open: (options, emit) => {
          const stream = transcriber.open(options, emit);
          const entry = this.#transcriber({ provider: options.provider, model: options.model ?? null });
          return {
            write: (audio) => {
              entry.audioMs += durationMs(options.format satisfies AudioFormat, audio.length);
              stream.write(audio);
            },
            finalize: () => stream.finalize(),
            configure: (change) => stream.configure?.(change),
            close: () => stream.close(),
          };
        },
      },
      model: {
        generate: (request, emit) =>
          model.generate(request, (event) => {
            if (event.type === 'done') this.#tokens(request, event.usage);
            emit(event);
          }),
      },
      voice: {
        open: (options, emit) => {
          /** Characters of segments without any audio so far. */
          const asked = new Map<number, number>();
          const stream = voice.open(options, (event) => {
            if (event.type === 'failed') this.#voice(options).characters -= asked.get(event.segment) ?? 0;
            asked.delete(event.segment);
            emit(event);
          });
          return {
            speak: (segment, text) => {
              this.#voice(options).characters += text.length;
              asked.set(segment, text.length);
              stream.speak(segment, text);
            },
            cancel: () => {
              asked.clear();
              stream.cancel();
            },
            close: () => stream.close(),
          };
        },
      },
    };
  }

  #transcriber(served: Served) {
    const key = keyOf('transcriber', served);
    const found = this.#entries.get(key);
    if (found?.kind === 'transcriber') return found;
    const entry = { kind: 'transcriber' as const, ...served, audioMs: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  #voice({ model, name, provider }: VoiceOptions) {
    // The name of a voice that includes its model, such as Deepgram's, determines the price.
    const served = { provider, model: model ?? name };
    const key = keyOf('voice', served);
    const found = this.#entries.get(key);
    if (found?.kind === 'voice') return found;
    const entry = { kind: 'voice' as const, ...served, characters: 0 };
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

/** As `metrics.providers` of the API. */
export function usageResponse(entry: UsageEntry): JsonObject {
  const { kind, model, provider } = entry;
  switch (entry.kind) {
    case 'transcriber':
      return { kind, provider, model, audio_seconds: Math.round(entry.audioMs / 100) / 10 };
    case 'llm': {
      const { cachedInputTokens, inputTokens, outputTokens } = entry;
      return {
        kind,
        provider,
        model,
        input_tokens: inputTokens,
        cached_input_tokens: cachedInputTokens,
        output_tokens: outputTokens,
      };
    }
    case 'voice':
      return { kind, provider, model, characters: entry.characters };
  }
}

function keyOf(kind: UsageEntry['kind'], { model, provider }: Served): string {
  return JSON.stringify([kind, provider, model]);
}

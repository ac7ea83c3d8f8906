import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { ModelRequest, ModelUsage } from '../../../engine/ports/language-model.ts';
import type { VoiceOptions } from '../../../engine/ports/voice.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import type { CallProviders } from '../providers/call-providers.ts';

interface Served {
  readonly provider: string;
  /** Null: the one that the provider takes by itself. */
  readonly model: string | null;
}

/** What one call used of one model of a provider. */
export type UsageEntry = Served &
  (
    | { readonly kind: 'transcriber'; audioMs: number }
    | { readonly kind: 'llm'; inputTokens: number; cachedInputTokens: number; outputTokens: number }
    | { readonly kind: 'voice'; characters: number }
  );

/**
 * A call's usage by provider, counted where the call meets its adapters. A transcriber's is the audio that it was given, a
 * voice's the characters that it was asked for, those kept spoken included and those not that it failed on before any audio; a
 * model's what the provider told.
 */
export class CallUsage {
  readonly #entries = new Map<string, UsageEntry>();

  get entries(): readonly UsageEntry[] {
    return [...this.#entries.values()];
  }

  /** The same adapters, counted. */
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
          /** Characters of the segments that nothing has come of. */
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
    // Where a voice is named with its model in one, as Deepgram's are, the name tells the price.
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

/** As the API tells it, under `metrics.providers`. */
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

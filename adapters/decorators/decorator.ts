import type { LanguageModel } from '../../engine/ports/language-model.ts';
import type { Transcriber } from '../../engine/ports/transcriber.ts';
import type { Voice } from '../../engine/ports/voice.ts';

/** The adapters of a provider, or of a call. */
export interface Adapters {
  readonly transcriber?: Transcriber;
  readonly languageModel?: LanguageModel;
  readonly voice?: Voice;
}

/** Wraps adapters in others that keep the same port. An adapter without a function here passes unchanged. */
export interface Decorator {
  readonly transcriber?: (inner: Transcriber) => Transcriber;
  readonly languageModel?: (inner: LanguageModel) => LanguageModel;
  readonly voice?: (inner: Voice) => Voice;
}

/** Applies the decorators in their order: the first is next to the provider, the last next to the call. */
export function decorate(adapters: Adapters, decorators: readonly Decorator[]): Adapters {
  return decorators.reduce<Adapters>(
    ({ transcriber, languageModel, voice }, by) => ({
      ...(transcriber && { transcriber: by.transcriber?.(transcriber) ?? transcriber }),
      ...(languageModel && { languageModel: by.languageModel?.(languageModel) ?? languageModel }),
      ...(voice && { voice: by.voice?.(voice) ?? voice }),
    }),
    adapters,
  );
}

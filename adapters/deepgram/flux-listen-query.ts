import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { boundedKeyterms } from './listen-keyterms.ts';

/** The provider's default for `eot_threshold`. */
export const DEFAULT_EOT_THRESHOLD = 0.7;
/** Languages that the multilingual model accepts as a hint; it refuses any other. */
const HINTED_LANGUAGES: readonly string[] = ['de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru'];

/** Options of a listen v2 connection (https://developers.deepgram.com/reference/speech-to-text/listen-flux). */
export function fluxListenQuery(model: string, options: TranscriberOptions) {
  const { eotThreshold, eagerEotThreshold } = options;
  const language = primaryLanguage(options.language);
  const isHinted = model.endsWith('-multi') && HINTED_LANGUAGES.includes(language);
  return {
    model,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
    ...(eotThreshold === undefined ? {} : { eot_threshold: eotThreshold }),
    // The provider refuses an eager threshold above the threshold for the end of the turn.
    ...(eagerEotThreshold === undefined
      ? {}
      : { eager_eot_threshold: Math.min(eagerEotThreshold, eotThreshold ?? DEFAULT_EOT_THRESHOLD) }),
    ...(isHinted ? { language_hint: language } : {}),
    keyterm: [...boundedKeyterms(options.vocabulary)],
  };
}

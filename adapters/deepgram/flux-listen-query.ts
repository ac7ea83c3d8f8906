import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { boundedKeyterms } from './listen-keyterms.ts';

/** The provider's default for `eot_threshold`. */
export const DEFAULT_EOT_THRESHOLD = 0.7;
/** Languages that the multilingual model accepts as a hint; it refuses any other. */
const HINTED_LANGUAGES: readonly string[] = ['de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru'];

/** Query of the listen v2 socket (https://developers.deepgram.com/reference/speech-to-text/listen-flux). */
export function fluxQuery(model: string, options: TranscriberOptions): URLSearchParams {
  const query = new URLSearchParams({
    model,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
  });
  const { eotThreshold, eagerEotThreshold } = options;
  if (eotThreshold !== undefined) query.set('eot_threshold', String(eotThreshold));
  if (eagerEotThreshold !== undefined) {
    // The provider refuses an eager threshold above the threshold for the end of the turn.
    const eager = Math.min(eagerEotThreshold, eotThreshold ?? DEFAULT_EOT_THRESHOLD);
    query.set('eager_eot_threshold', String(eager));
  }
  const language = options.language.split('-')[0]?.toLowerCase() ?? '';
  if (model.endsWith('-multi') && HINTED_LANGUAGES.includes(language)) query.set('language_hint', language);
  for (const term of boundedKeyterms(options.vocabulary)) query.append('keyterm', term);
  return query;
}

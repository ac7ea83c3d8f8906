import type { TranscriberOptions } from '../../engine/ports/transcriber.ts';
import { boundedKeyterms } from './listen-keyterms.ts';

const DEFAULT_MODEL = 'nova-3';
/** Silence that makes a segment final, in ms. Short, because the engine adds the pause that ends a turn. */
const ENDPOINTING_MS = 100;
/** Silence after the last word until `UtteranceEnd`, in ms; the provider's minimum. */
const UTTERANCE_END_MS = 1_000;

/** Options of a listen v1 connection (https://developers.deepgram.com/reference/speech-to-text/listen-streaming). */
export function novaListenQuery(options: TranscriberOptions) {
  const model = options.model ?? DEFAULT_MODEL;
  const terms = boundedKeyterms(options.vocabulary);
  return {
    model,
    language: options.language,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
    channels: '1',
    interim_results: 'true',
    endpointing: String(ENDPOINTING_MS),
    utterance_end_ms: String(UTTERANCE_END_MS),
    // For `UtteranceEnd`, as https://developers.deepgram.com/docs/speech-started shows. The page of `UtteranceEnd` does not name it.
    vad_events: 'true',
    // Not `smart_format`: it can delay a final by seconds while an entity may still grow.
    punctuate: 'true',
    numerals: 'true',
    // Older models accept the same list as `keywords`.
    ...(model.startsWith('nova-3') ? { keyterm: terms } : { keywords: terms }),
  };
}

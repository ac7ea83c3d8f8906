import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { VoiceOptions } from '../../engine/ports/voice.ts';

const DEFAULT_MODEL = 'aura-2';
/** The provider's bounds of `speed`; an agent's range, 0.5–2, is wider. */
const SPEED_MIN = 0.7;
const SPEED_MAX = 1.5;

/**
 * Options of a speak v1 connection. At Deepgram the model is the full name of the voice: `aura-2-thalia-en`. A plain
 * `thalia` is completed with the model and the language.
 */
export function speakQuery(options: VoiceOptions) {
  const language = primaryLanguage(options.language);
  const isFullName = options.name.startsWith('aura-');
  const speed = Math.min(Math.max(options.speed, SPEED_MIN), SPEED_MAX);
  return {
    model: isFullName ? options.name : `${options.model ?? DEFAULT_MODEL}-${options.name.toLowerCase()}-${language}`,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
    ...(speed === 1 ? {} : { speed }),
  };
}

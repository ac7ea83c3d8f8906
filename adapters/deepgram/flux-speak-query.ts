import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { VoiceOptions } from '../../engine/ports/voice.ts';

const PREFIX = 'flux-';
/** The provider's bounds and its step size. */
const SPEED_MIN = 0.5;
const SPEED_MAX = 1.5;
const SPEED_STEPS = 20;

/** A voice by its full name, `flux-haley-en`, or the plain name of a voice of the model `flux`. */
export function isFluxVoice(options: VoiceOptions): boolean {
  return options.name.startsWith(PREFIX) || options.model === 'flux';
}

/** Options of a speak v2 connection. */
export function fluxSpeakQuery(options: VoiceOptions) {
  const language = primaryLanguage(options.language);
  const isFullName = options.name.startsWith(PREFIX);
  const speed = Math.min(Math.max(options.speed, SPEED_MIN), SPEED_MAX);
  return {
    model: isFullName ? options.name : `${PREFIX}${options.name.toLowerCase()}-${language}`,
    encoding: options.format.encoding,
    sample_rate: String(options.format.sampleRateHz),
    ...(speed === 1 ? {} : { speed: Math.round(speed * SPEED_STEPS) / SPEED_STEPS }),
  };
}

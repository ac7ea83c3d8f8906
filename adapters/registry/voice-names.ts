import { isEspeakVoiceName } from '../espeak/espeak-arguments.ts';

/** Whether a provider could have a voice of this name. True where its syntax is not known. */
export function isVoiceName(provider: string, name: string): boolean {
  return provider !== 'espeak' || isEspeakVoiceName(name);
}

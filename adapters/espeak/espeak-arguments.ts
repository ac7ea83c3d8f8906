import { primaryLanguage } from '../../base/text/primary-language.ts';
import type { VoiceOptions } from '../../engine/ports/voice.ts';

/** The program's default rate, in words per minute. */
const WORDS_PER_MINUTE = 175;
/** With this name an agent gets the voice of its language. */
const DEFAULT_NAME = 'default';
/** Languages with voices for a region; other languages ignore the region. */
const REGIONAL: ReadonlySet<string> = new Set(['en-gb', 'en-us', 'es-419', 'fr-be', 'fr-ch', 'fr-fr', 'pt-br']);
/** The program looks up a voice's name as a file: the name must not contain a path or look like an option. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,40}(?:\+[a-z0-9_-]{1,40})?$/i;

export function isEspeakVoiceName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Arguments of `espeak-ng` (see its man page): UTF-8 on standard input, WAV on standard output. Undefined for an
 * invalid voice.
 */
export function espeakArguments(options: VoiceOptions): readonly string[] | undefined {
  const voice = options.name.toLowerCase() === DEFAULT_NAME ? voiceOf(options.language) : options.name;
  if (!isEspeakVoiceName(voice)) return undefined;
  const wordsPerMinute = Math.round(WORDS_PER_MINUTE * options.speed);
  return ['--stdin', '--stdout', '-b', '1', '-s', String(wordsPerMinute), '-v', voice];
}

function voiceOf(language: string): string {
  const tag = language.toLowerCase();
  return REGIONAL.has(tag) ? tag : primaryLanguage(tag);
}

import type { VoiceOptions } from '../../engine/ports/voice.ts';

/** The program's own pace. */
const WORDS_PER_MINUTE = 175;
/** An agent that names this voice gets that of its language. */
const DEFAULT_NAME = 'default';
/** Languages with a voice of their own for a region; others are known by the language alone. */
const REGIONAL: ReadonlySet<string> = new Set(['en-gb', 'en-us', 'es-419', 'fr-be', 'fr-ch', 'fr-fr', 'pt-br']);
/** A voice's name is looked up as a file: nothing of it may lead elsewhere, nor look like an option. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,40}(?:\+[a-z0-9_-]{1,40})?$/i;

/** Of `espeak-ng` (its man page): UTF-8 in on standard input, a WAV out on standard output. Undefined: no such voice can be. */
export function espeakArguments(options: VoiceOptions): readonly string[] | undefined {
  const voice = options.name.toLowerCase() === DEFAULT_NAME ? voiceOf(options.language) : options.name;
  if (!NAME.test(voice)) return undefined;
  const wordsPerMinute = Math.round(WORDS_PER_MINUTE * options.speed);
  return ['--stdin', '--stdout', '-b', '1', '-s', String(wordsPerMinute), '-v', voice];
}

function voiceOf(language: string): string {
  const tag = language.toLowerCase();
  return REGIONAL.has(tag) ? tag : (tag.split('-', 1)[0] ?? tag);
}

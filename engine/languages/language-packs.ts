import { primaryLanguage } from '../../base/text/primary-language.ts';
import { DUTCH } from './dutch-phrases.ts';
import { ENGLISH } from './english-phrases.ts';
import { FRENCH } from './french-phrases.ts';
import { GERMAN } from './german-phrases.ts';
import { ITALIAN } from './italian-phrases.ts';
import type { AnsweringMachinePhrases, LanguagePack } from './language-pack.ts';
import { PORTUGUESE } from './portuguese-phrases.ts';
import { SPANISH } from './spanish-phrases.ts';

export type { LanguagePack };

const LANGUAGES: ReadonlyMap<string, LanguagePack> = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['pt', PORTUGUESE],
  ['nl', DUTCH],
]);

/** The primary languages that have a pack. */
export const LANGUAGE_TAGS: readonly string[] = [...LANGUAGES.keys()];

/** The pack of a BCP 47 tag. The region is ignored; an unknown language gets the English pack. */
export function languagePack(tag: string): LanguagePack {
  return LANGUAGES.get(primaryLanguage(tag)) ?? ENGLISH;
}

/** The answering machine phrases for a call: those of its language, and English, since networks use it everywhere. */
export function answeringMachinePhrases(tag: string): readonly AnsweringMachinePhrases[] {
  const pack = languagePack(tag);
  return pack === ENGLISH ? [ENGLISH.answeringMachine] : [pack.answeringMachine, ENGLISH.answeringMachine];
}

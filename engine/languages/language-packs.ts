import { DUTCH } from './dutch-pack.ts';
import { ENGLISH } from './english-pack.ts';
import { FRENCH } from './french-pack.ts';
import { GERMAN } from './german-pack.ts';
import { ITALIAN } from './italian-pack.ts';
import type { AnsweringMachinePhrases, LanguagePack } from './language-pack.ts';
import { PORTUGUESE } from './portuguese-pack.ts';
import { primaryLanguage } from './primary-language.ts';
import { SPANISH } from './spanish-pack.ts';

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

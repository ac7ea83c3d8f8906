import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';
import { DUTCH } from './dutch-pack.ts';
import { ENGLISH } from './english-pack.ts';
import { FRENCH } from './french-pack.ts';
import { GERMAN } from './german-pack.ts';
import { ITALIAN } from './italian-pack.ts';
import type { LanguagePack } from './language-pack.ts';
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

/** By BCP 47 tag; the region does not matter, and a language that is not known is heard as English. */
export function languagePack(tag: string): LanguagePack {
  return LANGUAGES.get(primaryLanguage(tag)) ?? ENGLISH;
}

/** The phrases of answering machines that a call listens for: those of its language, and English, which networks speak everywhere. */
export function answeringMachinePhrases(tag: string): readonly AnsweringMachinePhrases[] {
  const own = languagePack(tag);
  return own === ENGLISH ? [ENGLISH.answeringMachine] : [own.answeringMachine, ENGLISH.answeringMachine];
}

import { primaryLanguage } from './primary-language.ts';
import { DUTCH } from './spoken-language/dutch.ts';
import { ENGLISH } from './spoken-language/english.ts';
import { FRENCH } from './spoken-language/french.ts';
import { GERMAN } from './spoken-language/german.ts';
import { ITALIAN } from './spoken-language/italian.ts';
import { PORTUGUESE } from './spoken-language/portuguese.ts';
import { SPANISH } from './spoken-language/spanish.ts';
import type { SpokenLanguage } from './spoken-language/spoken-language.ts';

export type { SpokenLanguage };

const LANGUAGES: ReadonlyMap<string, SpokenLanguage> = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['pt', PORTUGUESE],
  ['nl', DUTCH],
]);

/** By BCP 47 tag; the region does not matter, and a language that is not known is heard as English. */
export function spokenLanguage(tag: string): SpokenLanguage {
  return LANGUAGES.get(primaryLanguage(tag)) ?? ENGLISH;
}

import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import type { SpokenLanguage } from './language.ts';
import { PORTUGUESE } from './portuguese.ts';
import { primaryLanguage } from './primary-language.ts';
import { SPANISH } from './spanish.ts';

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

import { primaryLanguage } from '../primary-language.ts';
import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import type { AnsweringPhrases } from './phrases.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';

const LANGUAGES: ReadonlyMap<string, AnsweringPhrases> = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['pt', PORTUGUESE],
  ['nl', DUTCH],
]);

/**
 * The lists that a call is listened to with, by the BCP 47 tag of its agent: its own language's, and English, which
 * networks and machines speak everywhere.
 */
export function answeringPhrases(tag: string): readonly AnsweringPhrases[] {
  const own = LANGUAGES.get(primaryLanguage(tag));
  return own === undefined || own === ENGLISH ? [ENGLISH] : [own, ENGLISH];
}

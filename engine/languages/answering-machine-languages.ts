import { DUTCH } from './answering-machine-dutch.ts';
import { ENGLISH } from './answering-machine-english.ts';
import { FRENCH } from './answering-machine-french.ts';
import { GERMAN } from './answering-machine-german.ts';
import { ITALIAN } from './answering-machine-italian.ts';
import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';
import { PORTUGUESE } from './answering-machine-portuguese.ts';
import { SPANISH } from './answering-machine-spanish.ts';
import { primaryLanguage } from './primary-language.ts';

const LANGUAGES: ReadonlyMap<string, AnsweringMachinePhrases> = new Map([
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
export function answeringMachinePhrases(tag: string): readonly AnsweringMachinePhrases[] {
  const own = LANGUAGES.get(primaryLanguage(tag));
  return own === undefined || own === ENGLISH ? [ENGLISH] : [own, ENGLISH];
}

import { DUTCH } from './dutch.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import type { SpeechLanguage } from './language.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';

const LANGUAGES: ReadonlyMap<string, SpeechLanguage> = new Map([
  ['de', GERMAN],
  ['en', ENGLISH],
  ['es', SPANISH],
  ['fr', FRENCH],
  ['it', ITALIAN],
  ['nl', DUTCH],
  ['pt', PORTUGUESE],
]);

/** By BCP 47 tag; undefined for a language without number words. */
export function speechLanguage(tag: string): SpeechLanguage | undefined {
  return LANGUAGES.get(tag.split('-', 1)[0]?.toLowerCase() ?? '');
}

/** Whether 3/4/2025 is the fourth of March; most of the world writes the day first. */
export function isMonthFirst(tag: string): boolean {
  return /^en(-us)?$/i.test(tag);
}

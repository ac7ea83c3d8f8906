import { primaryLanguage } from '../../base/text/primary-language.ts';
import { DUTCH } from './dutch-speech.ts';
import { ENGLISH } from './english-speech.ts';
import { FRENCH } from './french-speech.ts';
import { GERMAN } from './german-speech.ts';
import { ITALIAN } from './italian-speech.ts';
import { PORTUGUESE } from './portuguese-speech.ts';
import { SPANISH } from './spanish-speech.ts';
import type { SpeechLanguage } from './speech-language.ts';

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
  return LANGUAGES.get(primaryLanguage(tag));
}

/** Whether 3/4/2025 is the fourth of March; most of the world writes the day first. */
export function isMonthFirst(tag: string): boolean {
  return /^en(-us)?$/i.test(tag);
}

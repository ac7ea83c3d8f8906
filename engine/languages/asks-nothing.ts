import { decisiveWords } from './decisive-words.ts';
import { languagePack } from './language-packs.ts';
import { consistsOfPhrases } from './phrase-matching.ts';

/** The user shows attention, gains time or is polite («mhm», «um», «let me see», «thank you»). True for no words. */
export function asksNothing(words: readonly string[], language: string): boolean {
  const { backchannels, clauses } = languagePack(language);
  return consistsOfPhrases(words, backchannels, clauses.spoken.hesitations, decisiveWords(language).courtesies);
}

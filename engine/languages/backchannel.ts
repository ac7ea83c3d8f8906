import type { LanguagePack } from './language-pack.ts';
import { consistsOfPhrases } from './phrase-matching.ts';

/** The words claim no turn («mhm», «ok»). */
export function isBackchannel(words: readonly string[], language: LanguagePack): boolean {
  return consistsOfPhrases(words, language.backchannels);
}

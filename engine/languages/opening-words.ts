import type { LanguagePack } from './language-pack.ts';
import { consistsOfPhrases } from './phrase-matching.ts';

/** A greeting answers these words: greetings, calls for attention, backchannels, requests to wait and farewells. True for no words. */
export function areOpeningWords(words: readonly string[], language: LanguagePack): boolean {
  const { attentionCalls, backchannels, clauses, farewells, stopPhrases } = language;
  return consistsOfPhrases(
    words,
    attentionCalls,
    backchannels,
    clauses.leadWords,
    clauses.closings,
    stopPhrases,
    farewells,
  );
}

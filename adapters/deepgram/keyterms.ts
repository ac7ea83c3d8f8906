/** The provider refuses the whole stream when the keyterms of a request go over this many tokens. */
const KEYTERM_TOKENS_MAX = 500;
/** A careful estimate of the provider's tokens: names and foreign words are cut finer than plain English. */
const CHARACTERS_PER_TOKEN = 3;

/** The first terms that fit the provider's bound; those behind are left out rather than cost the call its ears. */
export function boundedKeyterms(vocabulary: readonly string[]): readonly string[] {
  let tokens = 0;
  const fitting: string[] = [];
  for (const term of vocabulary) {
    tokens += Math.ceil(term.length / CHARACTERS_PER_TOKEN) + 1;
    if (tokens > KEYTERM_TOKENS_MAX) break;
    fitting.push(term);
  }
  return fitting;
}

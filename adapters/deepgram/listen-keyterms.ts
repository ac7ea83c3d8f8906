/** The provider refuses the whole stream if the keyterms of a request exceed this many tokens. */
const KEYTERM_TOKENS_MAX = 500;
/** A high estimate of the provider's tokens: names and foreign words split into more tokens than plain English. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * The first terms that fit the provider's bound. The rest is left out, because a refused stream would leave the call
 * without a transcriber.
 */
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

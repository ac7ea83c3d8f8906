/** Maximum number of words that `…` matches. */
const GAP_MAX = 4;
const GAP = '…';

/**
 * Whether the words, as `wordsOf` returns them, contain any of the phrase patterns. A pattern is a sequence of words:
 * `a|b` matches either word, `…` matches up to four words of any kind.
 */
export function matchesAnyPhrase(words: readonly string[], phrases: readonly string[]): boolean {
  return phrases.some((phrase) => {
    const tokens = tokensOf(phrase);
    return words.some((_, from) => matchesAt(words, from, tokens, 0));
  });
}

/** Cache: each phrase is tokenised once. */
const TOKENS = new Map<string, readonly (readonly string[])[]>();

function tokensOf(phrase: string): readonly (readonly string[])[] {
  const known = TOKENS.get(phrase);
  if (known !== undefined) return known;
  const tokens = phrase.split(' ').map((token) => token.split('|'));
  TOKENS.set(phrase, tokens);
  return tokens;
}

function matchesAt(
  words: readonly string[],
  at: number,
  tokens: readonly (readonly string[])[],
  token: number,
): boolean {
  const alternatives = tokens[token];
  if (alternatives === undefined) return true;
  if (alternatives[0] !== GAP) {
    const word = words[at];
    return word !== undefined && alternatives.includes(word) && matchesAt(words, at + 1, tokens, token + 1);
  }
  for (let gap = 0; gap <= GAP_MAX; gap++) if (matchesAt(words, at + gap, tokens, token + 1)) return true;
  return false;
}

/**
 * What machines say when they answer, in one language, and people hardly ever do. A phrase is a run of words as `wordsOf`
 * gives them; `a|b` is either word, `…` up to four words of any kind.
 */
export interface AnsweringMachinePhrases {
  /** A message is about to be recorded: a voicemail, whatever else is said. */
  readonly recording: readonly string[];
  /** The callee is absent: a voicemail, unless a menu follows. */
  readonly absence: readonly string[];
  /** Keys are to be pressed. */
  readonly menu: readonly string[];
  /** Who calls and why is to be said before anybody takes the call. */
  readonly screening: readonly string[];
  /** A network announces that the callee cannot be reached. */
  readonly announcement: readonly string[];
  /** Somebody is being fetched. */
  readonly pleaseWait: readonly string[];
}

/** Words that `…` may stand for. */
const GAP_MAX = 4;
const GAP = '…';

/** Whether any of the phrases stands somewhere in the words. */
export function matchesAnyPhrase(words: readonly string[], phrases: readonly string[]): boolean {
  return phrases.some((phrase) => {
    const tokens = tokensOf(phrase);
    return words.some((_, from) => standsAt(words, from, tokens, 0));
  });
}

/** Made once a phrase. */
const TOKENS = new Map<string, readonly (readonly string[])[]>();

function tokensOf(phrase: string): readonly (readonly string[])[] {
  const known = TOKENS.get(phrase);
  if (known !== undefined) return known;
  const tokens = phrase.split(' ').map((token) => token.split('|'));
  TOKENS.set(phrase, tokens);
  return tokens;
}

function standsAt(
  words: readonly string[],
  at: number,
  tokens: readonly (readonly string[])[],
  token: number,
): boolean {
  const wanted = tokens[token];
  if (wanted === undefined) return true;
  if (wanted[0] !== GAP) {
    const word = words[at];
    return word !== undefined && wanted.includes(word) && standsAt(words, at + 1, tokens, token + 1);
  }
  for (let gap = 0; gap <= GAP_MAX; gap++) if (standsAt(words, at + gap, tokens, token + 1)) return true;
  return false;
}

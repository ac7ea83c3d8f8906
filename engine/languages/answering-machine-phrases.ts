/**
 * Phrases of answering machines in one language that people rarely say. A phrase is a sequence of words as `wordsOf`
 * returns them. `a|b` matches either word, `…` matches up to four words of any kind.
 */
export interface AnsweringMachinePhrases {
  /** Introduces who or what has answered; machines begin like this, and people do. */
  readonly introduction: readonly string[];
  /** Announces a recording: a voicemail, regardless of other phrases. */
  readonly recording: readonly string[];
  /** Says that the callee is absent: a voicemail, unless a menu follows. */
  readonly absence: readonly string[];
  /** Asks for DTMF digits. */
  readonly menu: readonly string[];
  /** Asks for the name and the purpose of the call before the callee answers. */
  readonly screening: readonly string[];
  /** Network announcement: the callee cannot be reached. */
  readonly announcement: readonly string[];
  /** Asks to wait for the callee. */
  readonly pleaseWait: readonly string[];
}

/** Maximum number of words that `…` matches. */
const GAP_MAX = 4;
const GAP = '…';

/** Whether the words contain any of the phrases. */
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

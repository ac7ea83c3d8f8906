/** Letters and digits of any script, with punctuation inside words (don't, mm-hmm, z.B). */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** False for a text of punctuation and emoji only: a voice has nothing to speak. */
export function isSpeakable(text: string): boolean {
  return LETTER_OR_DIGIT.test(text);
}

/** The words of a text in lower case, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFC').toLowerCase().replaceAll('’', "'").match(WORD) ?? [];
}

/** Whether two texts differ at most in case and punctuation. */
export function haveSameWords(text: string, other: string): boolean {
  return wordsOf(text).join(' ') === wordsOf(other).join(' ');
}

/** Each word of a text as written, with the index after its last character. */
export function wordSpans(text: string): readonly { readonly word: string; readonly end: number }[] {
  return [...text.matchAll(WORD)].map((match) => ({ word: match[0], end: match.index + match[0].length }));
}

/** Word characters of any script, with the marks that stand inside words (don't, mm-hmm, z.B). */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu;

/** A text of marks and pictures alone has no sound. */
export function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The words of a text in lower case, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return (text.normalize('NFC').toLowerCase().match(WORD) ?? []).map((word) => word.replaceAll('’', "'"));
}

/** Each word of a text as it stands there, with the index behind its last character. */
export function wordSpans(text: string): readonly { readonly word: string; readonly end: number }[] {
  return [...text.matchAll(WORD)].map((match) => ({ word: match[0], end: match.index + match[0].length }));
}

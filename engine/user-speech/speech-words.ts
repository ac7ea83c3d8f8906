import { isSpeakable, wordsOf } from '../languages/words.ts';

/** The words of a text as written, each with the punctuation around it. */
export function writtenWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const part of text.split(/\s+/).filter((part) => part !== '')) {
    const last = words.at(-1);
    // Punctuation that stands alone belongs to the word before it.
    if (last === undefined || isSpeakable(part) || !isSpeakable(last)) words.push(part);
    else words[words.length - 1] = `${last} ${part}`;
  }
  return words;
}

/** A written word without case and punctuation. */
export function spokenForm(written: string): string {
  return wordsOf(written).join(' ');
}

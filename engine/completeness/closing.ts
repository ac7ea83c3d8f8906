import type { ClauseWords } from '../languages/clause-words.ts';

const CLOSING_WORDS_MAX = 4;

/** Whether the words end a request («please», «thank you»). */
export function endsInClosing(words: readonly string[], { closings }: ClauseWords): boolean {
  return Array.from({ length: CLOSING_WORDS_MAX }, (_, index) => words.slice(-index - 1).join(' ')).some((phrase) =>
    closings.has(phrase),
  );
}

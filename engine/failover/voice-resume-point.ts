import { isSpeakable, wordSpans } from '../languages/words.ts';
import type { SpokenWord } from '../ports/voice.ts';
import { withClosingPunctuation } from '../transcript/played-text.ts';

/** Time per character of telephone voices, used until this voice was measured. */
const CHARACTER_MS = 65;
/** The longest pause between two words of a clause: the word after the last known one is assumed to begin after it. */
const WORD_GAP_MS = 250;

export interface EmittedAudio {
  readonly emittedMs: number;
  readonly words: readonly SpokenWord[];
  readonly characterMs: number | null;
}

/**
 * Splits a text whose audio broke off. A word that had begun counts as said, so no word is repeated and at most the
 * rest of one word is lost. The position comes from the voice's word times, or from its measured pace.
 */
export function splitAtResumePoint(
  text: string,
  audio: EmittedAudio,
): { readonly said: string; readonly rest: string } {
  const reached = reachedCharacter(text, audio);
  const lastWord = wordSpans(text).findLast(({ word, end }) => end - word.length < reached);
  const said = withClosingPunctuation(text, lastWord?.end ?? 0);
  const rest = text.slice(said.length).trim();
  return { said, rest: isSpeakable(rest) ? rest : '' };
}

/** The character that was being spoken when the audio ended. */
function reachedCharacter(text: string, { emittedMs, words, characterMs }: EmittedAudio): number {
  const lower = text.toLowerCase();
  let known = { end: 0, endMs: -WORD_GAP_MS };
  for (const word of words) {
    if (word.startMs >= emittedMs) return known.end;
    const at = lower.indexOf(word.text.toLowerCase(), known.end);
    if (at >= 0) known = { end: at + word.text.length, endMs: word.endMs };
  }
  return known.end + Math.max(0, emittedMs - known.endMs - WORD_GAP_MS) / (characterMs ?? CHARACTER_MS);
}

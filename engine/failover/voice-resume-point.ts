import { isSpeakable, wordSpans } from '../languages/words.ts';
import type { SpokenWord } from '../ports/voice.ts';
import { withClosing } from '../transcript/played-text.ts';

/** How long telephone voices take over a character, where this one has not shown it yet. */
const CHARACTER_MS = 65;
/** Between two words lies no longer pause inside a clause: audio past the last known word holds no other before. */
const WORD_GAP_MS = 250;

export interface EmittedAudio {
  readonly emittedMs: number;
  readonly words: readonly SpokenWord[];
  readonly characterMs: number | null;
}

/**
 * Parts a text whose audio broke off. A word that had begun counts as said: nothing is said twice, and at most the rest
 * of that one word is lost, as far as word times, or else this voice's pace, tell where it was.
 */
export function splitSpokenText(text: string, audio: EmittedAudio): { readonly said: string; readonly rest: string } {
  const reached = reachedCharacter(text, audio);
  const begun = wordSpans(text).findLast(({ word, end }) => end - word.length < reached);
  const said = withClosing(text, begun?.end ?? 0);
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

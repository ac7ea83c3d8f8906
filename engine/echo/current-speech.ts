import type { CallContext } from '../core/context.ts';
import { wordsOf } from '../languages/words.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { lastPlayed } from './played-words.ts';
import { isRepetition } from './repeated-words.ts';

/**
 * Whether words repeat the agent's current speech, whenever they were said: they may be an echo that is later than the
 * known one. The last word of an interim may be incomplete.
 */
export function repeatsCurrentSpeech({ reply, userTurn }: CallContext, words: readonly string[]): boolean {
  const spokenWords = (reply === null ? [] : lastPlayed(reply.segments)).flatMap(({ text }) => wordsOf(text));
  return isRepetition(spokenWords, words, hasChangingWords(userTurn.speech));
}

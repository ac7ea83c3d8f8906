import type { CallContext } from '../core/context.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { wordsOf } from '../languages/words.ts';
import { openText } from '../user-speech/commit-mark.ts';

/** The user's words since the last committed turn. */
export function userTurnText({ speech }: UserTurn): string {
  return openText(speech);
}

/** By timeline: rules read the same one many times, and each revision makes another. */
const TURN_WORDS = new WeakMap<UserTurn['speech'], readonly string[]>();

export function userTurnWords(userTurn: UserTurn): readonly string[] {
  const words = TURN_WORDS.get(userTurn.speech) ?? wordsOf(userTurnText(userTurn));
  TURN_WORDS.set(userTurn.speech, words);
  return words;
}

/** The language in which the user speaks now, BCP 47: it may be another one than the agent's. */
export function userTurnLanguage(context: CallContext): string {
  return userLanguageOf(userTurnText(context.userTurn), context);
}

/** The language of these words of the user, BCP 47. */
export function userLanguageOf(text: string, { agent, userLanguage, userTurn }: CallContext): string {
  return spokenLanguage(text, userLanguage ?? agent.language, userTurn.language);
}

import type { CallContext } from '../core/context.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { wordsOf } from '../languages/words.ts';
import { openText } from '../user-speech/commit-mark.ts';

/** What the user has said since the last committed turn. */
export function userTurnText({ speech }: UserTurn): string {
  return openText(speech);
}

export function userTurnWords(userTurn: UserTurn): readonly string[] {
  return wordsOf(userTurnText(userTurn));
}

/** The language in which the user speaks now, BCP 47: it may be another one than the agent's. */
export function userTurnLanguage({ agent, userTurn }: CallContext): string {
  return spokenLanguage(userTurnText(userTurn), agent.language, userTurn.language);
}

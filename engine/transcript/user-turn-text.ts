import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { wordsOf } from '../languages/words.ts';
import { openText } from '../user-speech/commit-mark.ts';

/** What the user has said since the last committed turn. */
export function userTurnText({ speech }: UserTurn): string {
  return openText(speech);
}

export function userTurnWords(userTurn: UserTurn): readonly string[] {
  return wordsOf(userTurnText(userTurn));
}

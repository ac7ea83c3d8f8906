import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { wordsOf } from '../languages/words.ts';

/** What the user has said since the last committed turn. */
export function userTurnText(userTurn: UserTurn): string {
  return [...userTurn.finals, userTurn.providerTurn ?? userTurn.interim?.text ?? '']
    .filter((text) => text !== '')
    .join(' ');
}

export function userTurnWords(userTurn: UserTurn): readonly string[] {
  return wordsOf(userTurnText(userTurn));
}

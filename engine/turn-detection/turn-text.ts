import type { CallerTurn } from '../core/context.ts';
import { wordsOf } from '../languages/words.ts';

/** What the caller has said since their last turn was taken. */
export function turnText(caller: CallerTurn): string {
  return [...caller.finals, caller.native ?? caller.interim?.text ?? ''].filter((text) => text !== '').join(' ');
}

export function turnWords(caller: CallerTurn): readonly string[] {
  return wordsOf(turnText(caller));
}

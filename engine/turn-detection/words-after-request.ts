import type { CallContext } from '../core/context.ts';
import type { PendingTurn } from '../core/state/playout-slice.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnLanguage, userTurnText } from '../transcript/user-turn-text.ts';
import { addsNothing, hasAskedQuestion, mayAddNothing } from './agent-question.ts';
import { newWords } from './new-words.ts';
import { changesMeaning } from './substantial-change.ts';

/** After more words have cancelled this many answers in a row unheard, the next answer is heard first: the model is slow. */
const UNHEARD_ANSWERS_MAX = 2;

/** The user waits for an answer and goes on speaking: no more words cancel it, until it was heard. */
export function isAnswerOverdue({ unheardAnswers }: CallContext): boolean {
  return unheardAnswers >= UNHEARD_ANSWERS_MAX;
}

/** The user has said more than the model was asked with. */
export function hasWordsAfterRequest(context: CallContext, { text }: PendingTurn): boolean {
  const spoken = userTurnText(context.userTurn);
  // The guard runs at each event of the answer.
  if (spoken === text) return false;
  if (asksAgain(context, text, spoken)) return false;
  return changesMeaning(text, spoken, userTurnLanguage(context), hasAskedQuestion(context));
}

/** «Hello? Are you there?», or the same words again: the answer that the user waits for is still the right one. */
function asksAgain(context: CallContext, earlier: string, later: string): boolean {
  const [before, all] = [wordsOf(earlier), wordsOf(later)];
  if (!before.every((word, at) => word === all[at])) return false;
  const added = all.slice(before.length);
  return addsNothing(context, added) || mayAddNothing(context, added) || newWords(context).count <= before.length;
}

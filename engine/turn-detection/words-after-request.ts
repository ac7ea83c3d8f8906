import type { CallContext } from '../core/context.ts';
import type { PendingTurn } from '../core/state/playout-slice.ts';
import { callsAgent } from '../languages/attention-call.ts';
import { languagePack } from '../languages/language-packs.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnLanguage, userTurnText } from '../transcript/user-turn-text.ts';
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
  return !asksAgain(context, text, spoken) && changesMeaning(text, spoken, userTurnLanguage(context));
}

/** «Hello? Are you there?», or the same words again: the answer that the user waits for is still the right one. */
function asksAgain(context: CallContext, earlier: string, later: string): boolean {
  const [before, all] = [wordsOf(earlier), wordsOf(later)];
  if (!before.every((word, at) => word === all[at])) return false;
  const language = languagePack(userTurnLanguage(context));
  return callsAgent(all.slice(before.length), language) || newWords(context).count <= before.length;
}

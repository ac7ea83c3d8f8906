import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TypedEntry } from '../core/state/dtmf-slice.ts';
import { INITIAL_PRESENCE } from '../core/state/presence-slice.ts';
import type { CommittedTurn } from '../core/state/turn-detection-slice.ts';
import { haveSameWords } from '../languages/words.ts';
import { countEagerMiss } from '../metrics/conversation-metrics.ts';
import { addUserText } from '../transcript/history.ts';
import { writeTypedEntry, writeUserEntry } from '../transcript/transcript.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { readAgain, requestExtraction } from '../variable-extraction/variable-extraction.ts';
import { MONOLOGUE_NOTE } from './monologue-limit.ts';
import { resetCommittedTurn } from './user-turn.ts';
import { hasWordsAfterRequest, isAnswerOverdue } from './words-after-request.ts';

export function userTurnHasWords({ userTurn }: CallContext): boolean {
  return userTurnText(userTurn) !== '';
}

/**
 * Commits the words and the typed entries of the user as one turn, in the order in which they began.
 *
 * @param item the id that is reserved for the words in the history
 */
export function commitTurn(step: RuleStep, item?: number): CommittedTurn {
  const { userTurn, dtmf } = step.context;
  const hasWords = userTurnHasWords(step.context);
  const wordsUs = userTurn.startedUs ?? step.nowUs;
  step.stopTimer('endpoint');
  commitTypedEntries(
    step,
    dtmf.entries.filter((entry) => entry.startUs < wordsUs),
  );
  if (hasWords) commitWords(step, item);
  const laterEntries = dtmf.entries.filter((entry) => entry.startUs >= wordsUs);
  commitTypedEntries(step, laterEntries);
  // A user who asked for time is back.
  step.change({
    dtmf: { ...dtmf, entries: [] },
    presence: INITIAL_PRESENCE.presence,
    pendingResponse: false,
    corrections: [],
    eager: { ...step.context.eager, requestedWords: '', watchedWords: '' },
  });
  const speechEndedUs = hasWords && laterEntries.length === 0 ? userTurn.endedUs : null;
  return { number: step.nextNumber('turn'), speechEndedUs: speechEndedUs ?? step.nowUs, endedUs: step.nowUs };
}

/** Something of the answer is heard, a tool of it runs, or it is dropped: its turn is committed. */
export function commitPendingTurn(step: RuleStep): void {
  const { pendingResponse, reply } = step.context;
  if (reply?.pending == null) return;
  const { endedUs, item, phase, text } = reply.pending;
  const spoken = userTurnText(step.context.userTurn);
  const hasMoreWords = isAnswerOverdue(step.context) && hasWordsAfterRequest(step.context, reply.pending);
  if (phase === 'ahead') countEagerMiss(step);
  const isSpeltOtherwise = !haveSameWords(text, spoken);
  const turn = commitTurn(step, item);
  step.change({ reply: { ...reply, pending: null, turn: { ...turn, endedUs: endedUs ?? step.nowUs } } });
  // A tool result may have arrived since the model was asked.
  step.change({ pendingResponse, ...(hasMoreWords && { corrections: [{ item, words: spoken }] }) });
  // A slightly different spelling of a name does not change the answer.
  if (isSpeltOtherwise) readAgain(step, item);
  else requestExtraction(step);
}

function commitWords(step: RuleStep, reservedItem: number | undefined): void {
  const { userTurn } = step.context;
  writeUserEntry(step);
  const item = addUserText(
    step,
    userTurn.overMonologueLimit ? `${userTurnText(userTurn)} ${MONOLOGUE_NOTE}` : userTurnText(userTurn),
    reservedItem,
  );
  // The transcriber must not put these words and those of the next turn into one final.
  if (hasChangingWords(userTurn.speech)) step.command({ type: 'transcriber.finalize' });
  resetCommittedTurn(step, item);
}

function commitTypedEntries(step: RuleStep, entries: readonly TypedEntry[]): void {
  for (const entry of entries) {
    writeTypedEntry(step, entry);
    addUserText(step, entry.type === 'text' ? entry.text : `[pressed the keys ${entry.digits}]`);
  }
}

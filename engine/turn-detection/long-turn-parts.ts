import type { RuleStep } from '../core/rule-step.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { addUserText } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';

/** About two minutes of speech. With a radio in the background, the pause that ends a turn may never occur. */
const PART_CHARACTERS = 2_000;

/**
 * Commits a long turn to transcript and history in parts, at a final; it is answered only once it has ended. Otherwise
 * each word would cost time in proportion to the whole turn. The last final stays, so that the turn still has words.
 */
export function commitLongTurnPart(step: RuleStep): void {
  const { userTurn } = step.context;
  const { event } = step;
  const part = userTurn.finals.slice(0, -1);
  const text = part.join(' ');
  if (text.length < PART_CHARACTERS || !('startMs' in event)) return;
  const splitUs = step.audioUs(event.startMs);
  step.change({ userTurn: { ...userTurn, finals: part, endedUs: splitUs } });
  writeUserEntry(step);
  addUserText(step, text);
  fitHistoryToBudget(step);
  const openEntry = { sequence: step.nextNumber('sequence'), startUs: splitUs };
  step.change({ userTurn: { ...userTurn, finals: userTurn.finals.slice(-1), entry: openEntry } });
}

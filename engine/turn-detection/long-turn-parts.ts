import type { RuleStep } from '../core/rule-step.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { addUserText } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';

/** About two minutes of speech. With a radio in the background the pause that ends a turn may never come. */
const PART_CHARACTERS = 2_000;

/**
 * A long turn goes into transcript and history in parts, behind a final, and is answered once it has ended: else each word
 * would cost as much as the whole turn is long. Its last final stays, so that the turn still has words.
 */
export function commitLongTurnPart(step: RuleStep): void {
  const { userTurn } = step.context;
  const { event } = step;
  const part = userTurn.finals.slice(0, -1);
  const text = part.join(' ');
  if (text.length < PART_CHARACTERS || !('startMs' in event)) return;
  const partedUs = step.audioUs(event.startMs);
  step.change({ userTurn: { ...userTurn, finals: part, endedUs: partedUs } });
  writeUserEntry(step);
  addUserText(step, text);
  fitHistoryToBudget(step);
  const openEntry = { sequence: step.next('sequence'), startUs: partedUs };
  step.change({ userTurn: { ...userTurn, finals: userTurn.finals.slice(-1), entry: openEntry } });
}

import type { RuleStep } from '../core/rule-step.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { addUserText } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { openWords } from '../user-speech/commit-mark.ts';
import { openFinals } from '../user-speech/open-speech.ts';

/** About two minutes of speech. With a radio in the background, the pause that ends a turn may never occur. */
const PART_CHARACTERS = 2_000;

/**
 * Commits a long turn to transcript and history in parts, when a final arrives: otherwise the work for each word would
 * grow with the whole turn. The agent answers only after the turn has ended. The last final stays open, so that the turn
 * still has words.
 */
export function commitLongTurnPart(step: RuleStep): void {
  const { userTurn } = step.context;
  const { event } = step;
  const part = openFinals(userTurn.speech).slice(0, -1);
  const text = part.map((segment) => openWords(segment).join(' ')).join(' ');
  if (text.length < PART_CHARACTERS || !('startMs' in event)) return;
  writeUserEntry(step, { content: text, untilMs: event.startMs });
  addUserText(step, text);
  fitHistoryToBudget(step);
  const openEntry = { sequence: step.nextNumber('sequence'), startUs: step.audioUs(event.startMs) };
  const { speech } = userTurn;
  const segments = speech.segments.filter((segment) => !part.includes(segment));
  step.change({ userTurn: { ...userTurn, speech: { ...speech, segments }, entry: openEntry } });
}

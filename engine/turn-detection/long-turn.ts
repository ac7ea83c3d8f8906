import type { Step } from '../core/step.ts';
import { boundHistory } from '../summary/summary.ts';
import { addCallerWords } from '../transcript/history.ts';
import { writeCallerLine } from '../transcript/transcript.ts';

/** Of a turn's finals, some two minutes of speech. Whoever has a radio on may never make the pause that ends a turn. */
const PART_CHARACTERS = 2_000;

/**
 * A long turn goes into transcript and history in parts, behind a final, and is answered once it has ended: else each word
 * would cost as much as the whole turn is long. Its last final stays, so that the turn still has words.
 */
export function settlePart(step: Step): void {
  const { caller } = step.context;
  const { event } = step;
  const part = caller.finals.slice(0, -1);
  const text = part.join(' ');
  if (text.length < PART_CHARACTERS || !('startMs' in event)) return;
  const partedUs = step.audioUs(event.startMs);
  step.change({ caller: { ...caller, finals: part, endedUs: partedUs } });
  writeCallerLine(step);
  addCallerWords(step, text);
  boundHistory(step);
  const line = { sequence: step.next('sequence'), startUs: partedUs };
  step.change({ caller: { ...caller, finals: caller.finals.slice(-1), line } });
}

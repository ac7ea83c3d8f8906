import { pauseMsOf } from '../completeness/completeness.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { providerEndsTurns } from '../current-providers/current-transcriber.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { turnCompleteness } from '../turn-detection/turn-completeness.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { askModel } from './ask-model.ts';

/** With less of the pause left, in ms, an eager request saves too little time. */
const PAUSE_LEFT_MIN_MS = 200;
/** Words that ask for a longer pause are probably continued. Unit: ms. */
const ASKED_PAUSE_MAX_MS = 1_000;
/** After this many consecutive misses the call makes no more eager generations: this user pauses within turns. */
const MISSES_MAX = 3;

/** Eager generation: asks the model if the turn will probably end in `leftMs`. */
export function askAhead(step: RuleStep, leftMs: number): void {
  const { eager, userTurn } = step.context;
  const words = wordsOf(userTurnText(userTurn)).join(' ');
  if (words === '' || words === eager.requestedWords || !willProbablyEnd(step, leftMs) || !canAskAhead(step)) return;
  step.change({ eager: { ...eager, requestedWords: words } });
  askModel(step, 'ahead');
}

function willProbablyEnd(step: RuleStep, leftMs: number): boolean {
  const { userTurn } = step.context;
  if (userTurn.complete) return false;
  if (providerEndsTurns(step.context)) {
    return step.event.type === 'transcriber.turn' && step.event.phase === 'eager_end';
  }
  const isSilent = !userTurn.speaking && !hasChangingWords(userTurn.speech) && userTurnText(userTurn) !== '';
  if (!isSilent || leftMs < PAUSE_LEFT_MIN_MS) return false;
  return pauseMsOf(turnCompleteness(step)) <= ASKED_PAUSE_MAX_MS;
}

/** The model would answer this turn at once: no reply, tool, initial message, digits or queued speech comes before. */
function canAskAhead({ context }: RuleStep): boolean {
  const { eager, reply, initialMessage, runningTools, dtmf, queuedSpeech, decidedEnd } = context;
  const isFree = reply === null && runningTools.length === 0 && decidedEnd === null;
  const isNext =
    initialMessage === 'done' && dtmf.openEntry === null && dtmf.entries.length === 0 && queuedSpeech.length === 0;
  return isFree && isNext && eager.consecutiveMisses < MISSES_MAX;
}

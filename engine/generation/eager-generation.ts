import { pauseMsOf } from '../completeness/end-of-turn-pause.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { providerEndsTurns, transcriberTraits } from '../current-providers/current-transcriber.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { finalLatencyMs } from '../turn-detection/final-timeout.ts';
import { areWordsMissing } from '../turn-detection/missing-words.ts';
import { turnCompleteness } from '../turn-detection/turn-completeness.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { askModel } from './ask-model.ts';

/**
 * The call does not wait for finals that come later than this after the end of speech: it asks the model with an
 * interim. Unit: ms.
 */
const SLOW_FINAL_MS_MIN = 400;
/** An interim is stable once its words have not changed for this time. Unit: ms. */
const STABLE_MS = 150;
/** Words of an interim that ask for a longer pause are not complete: the final probably has more. Unit: ms. */
const STABLE_PAUSE_MS_MAX = 500;

/** With less of the pause left, in ms, an eager request saves too little time. */
const PAUSE_LEFT_MS_MIN = 50;
/** Words that ask for a longer pause are probably continued. Unit: ms. */
const ASKED_PAUSE_MS_MAX = 1_000;
/** After this many consecutive misses the call makes no more eager generations: this user pauses within turns. */
const MISSES_MAX = 3;

/** Eager generation: asks the model if the turn will probably end in `leftMs`. */
export function askAhead(step: RuleStep, leftMs: number): void {
  const words = wordsOf(userTurnText(step.context.userTurn)).join(' ');
  if (words === '' || words === step.context.eager.requestedWords) return;
  if (!willProbablyEnd(step, leftMs) || !canAskAhead(step) || !isStable(step, words)) return;
  step.change({ eager: { ...step.context.eager, requestedWords: words } });
  askModel(step, 'ahead');
}

function willProbablyEnd(step: RuleStep, leftMs: number): boolean {
  const { userTurn } = step.context;
  if (userTurn.complete) return false;
  if (providerEndsTurns(step.context)) {
    return step.event.type === 'transcriber.turn' && step.event.phase === 'eager_end';
  }
  if (userTurn.speaking || leftMs < PAUSE_LEFT_MS_MIN) return false;
  const isInterim = hasChangingWords(userTurn.speech);
  if (isInterim && !isFinalSlow(step)) return false;
  return pauseMsOf(turnCompleteness(step)) <= (isInterim ? STABLE_PAUSE_MS_MAX : ASKED_PAUSE_MS_MAX);
}

/** The final will be late, and the interim has all words that were spoken. */
function isFinalSlow({ context, time }: RuleStep): boolean {
  const traits = transcriberTraits(context);
  if (finalLatencyMs(traits, context.finalLatenciesMs) <= SLOW_FINAL_MS_MIN) return false;
  return !areWordsMissing(context.userTurn, traits, time.audioClock);
}

/** The words of a final are stable; those of an interim are watched for a while. */
function isStable(step: RuleStep, words: string): boolean {
  const { eager, userTurn } = step.context;
  if (providerEndsTurns(step.context) || !hasChangingWords(userTurn.speech)) return true;
  const { event } = step;
  if (words === eager.watchedWords) return event.type === 'timer' && event.timer === 'ask_ahead';
  step.change({ eager: { ...eager, watchedWords: words } });
  step.startTimer('ask_ahead', STABLE_MS);
  return false;
}

/** The model would answer this turn at once: no reply, tool, initial message, digits or queued speech comes before. */
function canAskAhead({ context }: RuleStep): boolean {
  const { eager, reply, initialMessage, runningTools, dtmf, queuedSpeech, queuedTransfer, decidedEnd } = context;
  const isFree = reply === null && runningTools.length === 0 && decidedEnd === null;
  const isNext =
    initialMessage === 'done' &&
    dtmf.openEntry === null &&
    dtmf.entries.length === 0 &&
    queuedSpeech.length === 0 &&
    queuedTransfer === null;
  return isFree && isNext && eager.consecutiveMisses < MISSES_MAX;
}

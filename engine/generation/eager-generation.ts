import { pauseMsOf } from '../completeness/completeness.ts';
import { RuleStep } from '../core/rule-step.ts';
import type { EagerGeneration, EagerState } from '../core/state/generation-slice.ts';
import { providerEndsTurns } from '../current-providers/current-transcriber.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { wordsOf } from '../languages/words.ts';
import { countMetric, countTokens } from '../metrics/conversation-metrics.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { conversationRequest } from '../prompts/model-requests.ts';
import { addUserText } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { turnCompleteness } from '../turn-detection/turn-completeness.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { adoptGeneration } from './generation.ts';

/**
 * Eager generation: the model is asked when the user turn will probably end. Its output is buffered until the turn is
 * committed with exactly the words of the request. In every other case it is dropped: none of it is said, run or kept.
 */

/** With less of the pause left, in ms, an eager request saves too little time. */
const PAUSE_LEFT_MIN_MS = 200;
/** Words that ask for a longer pause are probably continued. Unit: ms. */
const ASKED_PAUSE_MAX_MS = 1_000;
/** After this many consecutive misses the call makes no more eager generations: this user pauses within turns. */
const MISSES_MAX = 3;
/** Buffered sentences; a longer answer is too long for a phone call and is dropped. */
const SENTENCES_MAX = 50;

/** Asks the model if the turn will probably end in `leftMs`; drops a generation that was requested with other words. */
export function updateEagerGeneration(step: RuleStep, leftMs: number): void {
  const { eager, userTurn } = step.context;
  const words = normalised(userTurnText(userTurn));
  const turnResumed = step.event.type === 'transcriber.turn' && step.event.phase === 'resumed';
  if (eager.running !== null && (words !== eager.requestedWords || turnResumed)) dropEager(step);
  if (words !== '' && words !== eager.requestedWords && willProbablyEnd(step, leftMs) && canAskEagerly(step))
    askEagerly(step, words);
}

function willProbablyEnd(step: RuleStep, leftMs: number): boolean {
  const { userTurn } = step.context;
  if (providerEndsTurns(step.context)) {
    return step.event.type === 'transcriber.turn' && step.event.phase === 'eager_end';
  }
  const isSilent = !userTurn.speaking && !hasChangingWords(userTurn.speech) && userTurnText(userTurn) !== '';
  if (!isSilent || leftMs < PAUSE_LEFT_MIN_MS) return false;
  return pauseMsOf(turnCompleteness(step)) <= ASKED_PAUSE_MAX_MS;
}

/** The model would answer this turn at once: no reply, tool, initial message, digits or queued speech comes before. */
function canAskEagerly({ context }: RuleStep): boolean {
  const { eager, reply, initialMessage, runningTools, dtmf, queuedSpeech, decidedEnd } = context;
  const isFree = eager.running === null && reply === null && runningTools.length === 0 && decidedEnd === null;
  const isNext =
    initialMessage === 'done' && dtmf.openEntry === null && dtmf.entries.length === 0 && queuedSpeech.length === 0;
  return isFree && isNext && eager.consecutiveMisses < MISSES_MAX;
}

function askEagerly(step: RuleStep, words: string): void {
  const text = userTurnText(step.context.userTurn);
  const request = requestAfter(step, text);
  const number = step.nextNumber('generation');
  const running: EagerGeneration = { number, request, text, hasFirstToken: false, sentences: [], done: false };
  changeEager(step, { running, requestedWords: words });
  step.command({ type: 'model.request', generation: number, request });
}

/** The request that a commit of these words would make. The trial step is discarded. */
function requestAfter(step: RuleStep, text: string): ModelRequest {
  const trial = new RuleStep(step.context, step.event, step.time);
  addUserText(trial, text);
  fitHistoryToBudget(trial);
  return conversationRequest(trial, true);
}

/** Events of the eager generation. */
export function onEagerModelEvent(step: RuleStep): void {
  const { event } = step;
  const { running } = step.context.eager;
  if (running === null || !('generation' in event) || event.generation !== running.number) return;
  switch (event.type) {
    case 'model.first_token':
      changeEager(step, { running: { ...running, hasFirstToken: true } });
      break;
    case 'model.sentence':
      if (running.sentences.length >= SENTENCES_MAX) dropEager(step);
      else changeEager(step, { running: { ...running, sentences: [...running.sentences, event.text] } });
      break;
    case 'model.done':
      countTokens(step, event.usage);
      if (running.sentences.length === 0) recordMiss(step);
      else changeEager(step, { running: { ...running, done: true } });
      break;
    case 'model.failed':
      recordMiss(step);
      break;
    case 'model.tool_call':
      dropEager(step);
      break;
    default:
      return;
  }
}

/**
 * Makes the eager generation the answer of the turn that was just committed; false if none fits. The user's words and
 * the rest of the model request must be identical to those of a request made now.
 */
export function adoptEagerGeneration(step: RuleStep): boolean {
  const { running, requestedWords } = step.context.eager;
  const item = step.context.history.at(-1);
  if (running === null || item?.type !== 'user') return false;
  if (normalised(item.text) !== requestedWords || !isSameRequest(step, running)) {
    dropEager(step);
    return false;
  }
  changeEager(step, { running: null, consecutiveMisses: 0 });
  countMetric(step, 'eagerHits');
  fitHistoryToBudget(step);
  adoptGeneration(step, running);
  return true;
}

function isSameRequest(step: RuleStep, { request, text }: EagerGeneration): boolean {
  const stepBefore = new RuleStep(step.context, step.event, step.time);
  stepBefore.change({ history: step.context.history.slice(0, -1) });
  return JSON.stringify(requestAfter(stepBefore, text)) === JSON.stringify(request);
}

/** The user's turn is over: an eager generation that was not adopted is dropped. */
export function discardEagerGeneration(step: RuleStep): void {
  dropEager(step);
  changeEager(step, { requestedWords: '' });
}

function dropEager(step: RuleStep): void {
  const { running } = step.context.eager;
  if (running === null) return;
  if (!running.done) step.command({ type: 'model.cancel', generation: running.number });
  recordMiss(step);
}

function recordMiss(step: RuleStep): void {
  changeEager(step, { running: null, consecutiveMisses: step.context.eager.consecutiveMisses + 1 });
  countMetric(step, 'eagerMisses');
}

function changeEager(step: RuleStep, changed: Partial<EagerState>): void {
  step.change({ eager: { ...step.context.eager, ...changed } });
}

/** Punctuation and capitals may still change in a final; the answer does not depend on them. */
function normalised(text: string): string {
  return wordsOf(text).join(' ');
}

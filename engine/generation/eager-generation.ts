import { RuleStep } from '../core/rule-step.ts';
import type { EagerGeneration, EagerState } from '../core/state/generation-slice.ts';
import { transcriberTraits } from '../current-providers/current-transcriber.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { languagePack } from '../languages/language-packs.ts';
import { wordsOf } from '../languages/words.ts';
import { count, countTokens } from '../metrics/conversation-metrics.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { conversationRequest } from '../prompts/model-requests.ts';
import { addUserText } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { pauseAfter } from '../turn-detection/endpointing.ts';
import { adoptGeneration } from './generation.ts';

/**
 * Eager generation: when a turn will probably end, the model is asked ahead. What it writes is held back until the turn
 * is taken with exactly the words that it was asked with; whatever else happens, it is dropped, and nothing was said,
 * run or kept of it.
 */

/** Less of a pause than this is not worth a request that may be thrown away, in ms. */
const PAUSE_LEFT_MIN_MS = 200;
/** After this many consecutive misses the call makes no more eager generations: this user pauses within turns. */
const MISSES_MAX = 3;
/** Sentences held back; a model that writes more has not understood that it is on the phone. */
const SENTENCES_MAX = 50;

/** Asks ahead where the turn will probably end with these words, in `leftMs`; drops what was asked with others. */
export function updateEagerGeneration(step: RuleStep, leftMs: number): void {
  const { eager, userTurn } = step.context;
  const words = normalised(userTurnText(userTurn));
  const goesOn = step.event.type === 'transcriber.turn' && step.event.phase === 'resumed';
  if (eager.running !== null && (words !== eager.askedWords || goesOn)) dropEager(step);
  if (words !== '' && words !== eager.askedWords && probablyEnds(step, leftMs) && mayAsk(step)) askAhead(step, words);
}

function probablyEnds(step: RuleStep, leftMs: number): boolean {
  const { userTurn, agent } = step.context;
  if (transcriberTraits(step.context).detectsTurns) {
    return step.event.type === 'transcriber.turn' && step.event.phase === 'eager_end';
  }
  const isSilent = !userTurn.speaking && userTurn.interim === null && userTurn.finals.length > 0;
  if (!isSilent || leftMs < PAUSE_LEFT_MIN_MS) return false;
  const language = languagePack(agent.language);
  const pause = pauseAfter(userTurnText(userTurn), language, step.state.features.entity_detection);
  return pause === 'plain' || pause === 'finishedSentence';
}

/** The turn must be one that the model answers, and at once. */
function mayAsk({ context }: RuleStep): boolean {
  const { eager, reply, greeting, runningTools, dtmf, queuedSpeech, decidedEnd } = context;
  const isFree = eager.running === null && reply === null && runningTools.length === 0 && decidedEnd === null;
  const isNext =
    greeting === 'done' && dtmf.openEntry === null && dtmf.entries.length === 0 && queuedSpeech.length === 0;
  return isFree && isNext && eager.consecutiveMisses < MISSES_MAX;
}

function askAhead(step: RuleStep, words: string): void {
  const text = userTurnText(step.context.userTurn);
  const request = requestAfter(step, text);
  const number = step.next('generation');
  const running: EagerGeneration = { number, request, text, hasFirstToken: false, sentences: [], done: false };
  change(step, { running, askedWords: words });
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
      change(step, { running: { ...running, hasFirstToken: true } });
      break;
    case 'model.sentence':
      if (running.sentences.length >= SENTENCES_MAX) dropEager(step);
      else change(step, { running: { ...running, sentences: [...running.sentences, event.text] } });
      break;
    case 'model.done':
      countTokens(step, event.usage);
      if (running.sentences.length === 0) missed(step);
      else change(step, { running: { ...running, done: true } });
      break;
    case 'model.failed':
      missed(step);
      break;
    case 'model.tool_call':
      dropEager(step);
      break;
    default:
      return;
  }
}

/**
 * The turn was taken, and its reply has begun: true where what was asked ahead is its answer. The words must be the same,
 * and so must be all else that the model would be told now.
 */
export function adoptEagerGeneration(step: RuleStep): boolean {
  const { running, askedWords } = step.context.eager;
  const item = step.context.history.at(-1);
  if (running === null || item?.type !== 'user') return false;
  if (normalised(item.text) !== askedWords || !isStillAsked(step, running)) {
    dropEager(step);
    return false;
  }
  change(step, { running: null, consecutiveMisses: 0 });
  count(step, 'eagerHits');
  fitHistoryToBudget(step);
  adoptGeneration(step, running);
  return true;
}

function isStillAsked(step: RuleStep, { request, text }: EagerGeneration): boolean {
  const before = new RuleStep(step.context, step.event, step.time);
  before.change({ history: step.context.history.slice(0, -1) });
  return JSON.stringify(requestAfter(before, text)) === JSON.stringify(request);
}

/** The user's turn is over: an eager generation that was not adopted is dropped. */
export function discardEagerGeneration(step: RuleStep): void {
  dropEager(step);
  change(step, { askedWords: '' });
}

function dropEager(step: RuleStep): void {
  const { running } = step.context.eager;
  if (running === null) return;
  if (!running.done) step.command({ type: 'model.cancel', generation: running.number });
  missed(step);
}

function missed(step: RuleStep): void {
  change(step, { running: null, consecutiveMisses: step.context.eager.consecutiveMisses + 1 });
  count(step, 'eagerMisses');
}

function change(step: RuleStep, changed: Partial<EagerState>): void {
  step.change({ eager: { ...step.context.eager, ...changed } });
}

/** Marks and capitals may still change in a final: they are not what the answer hangs on. */
function normalised(text: string): string {
  return wordsOf(text).join(' ');
}

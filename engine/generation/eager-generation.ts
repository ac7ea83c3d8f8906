import type { EagerGeneration, EagerProgress } from '../core/context.ts';
import { Step } from '../core/step.ts';
import { spokenLanguage } from '../languages/languages.ts';
import { wordsOf } from '../languages/words.ts';
import { count, countTokens } from '../metrics/call-metrics.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { conversationRequest } from '../prompts/model-requests.ts';
import { transcriberTraits } from '../provider-choice/transcriber-gap.ts';
import { boundHistory } from '../summary/summary.ts';
import { addCallerWords } from '../transcript/history.ts';
import { pauseAfter } from '../turn-detection/endpointing.ts';
import { turnText } from '../turn-detection/turn-text.ts';
import { adopt } from './generation.ts';

/**
 * Eager generation: when a turn will probably end, the model is asked ahead. What it writes is held back until the turn
 * is taken with exactly the words that it was asked with; whatever else happens, it is dropped, and nothing was said,
 * run or kept of it.
 */

/** Less of a pause than this is not worth a request that may be thrown away, in ms. */
const LEFT_LEAST_MS = 200;
/** After so many misses without a hit the caller is one who goes on: nothing is asked ahead in this call any more. */
const MISSES_MAX = 3;
/** Sentences held back; a model that writes more has not understood that it is on the phone. */
const SENTENCES_MAX = 50;

/** Asks ahead where the turn will probably end with these words, in `leftMs`; drops what was asked with others. */
export function considerEager(step: Step, leftMs: number): void {
  const { eager, caller } = step.context;
  const words = normalised(turnText(caller));
  const goesOn = step.event.type === 'transcriber.turn' && step.event.phase === 'resumed';
  if (eager.running !== null && (words !== eager.asked || goesOn)) dropEager(step);
  if (words !== '' && words !== eager.asked && probablyEnds(step, leftMs) && mayAsk(step)) askAhead(step, words);
}

function probablyEnds(step: Step, leftMs: number): boolean {
  const { caller, agent } = step.context;
  if (transcriberTraits(step.context).nativeTurns) {
    return step.event.type === 'transcriber.turn' && step.event.phase === 'eager_end';
  }
  const isSilent = !caller.speaking && caller.interim === null && caller.finals.length > 0;
  if (!isSilent || leftMs < LEFT_LEAST_MS) return false;
  const language = spokenLanguage(agent.language);
  const pause = pauseAfter(turnText(caller), language, step.state.features.entity_detection);
  return pause === 'plain' || pause === 'finishedSentence';
}

/** The turn must be one that the model answers, and at once. */
function mayAsk({ context }: Step): boolean {
  const { eager, reply, greeting, tools, digits, sayings, ending } = context;
  const isFree = eager.running === null && reply === null && tools.length === 0 && ending === null;
  const isNext = greeting === 'done' && digits.pressed === null && digits.entries.length === 0 && sayings.length === 0;
  return isFree && isNext && eager.missesInRow < MISSES_MAX;
}

function askAhead(step: Step, words: string): void {
  const text = turnText(step.context.caller);
  const request = requestAfter(step, text);
  const number = step.next('generation');
  const running: EagerGeneration = { number, request, text, hasFirstToken: false, sentences: [], done: false };
  change(step, { running, asked: words });
  step.order({ type: 'model.request', generation: number, request });
}

/** What the model would be asked if the turn were taken now with these words. Nothing comes of it but the request. */
function requestAfter(step: Step, text: string): ModelRequest {
  const trial = new Step(step.context, step.event, step.moment);
  addCallerWords(trial, text);
  boundHistory(trial);
  return conversationRequest(trial, true);
}

/** What the model tells of a generation that was asked ahead. */
export function takeEagerEvent(step: Step): void {
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
export function adoptEager(step: Step): boolean {
  const { running, asked } = step.context.eager;
  const item = step.context.history.at(-1);
  if (running === null || item?.type !== 'caller') return false;
  if (normalised(item.text) !== asked || !isStillAsked(step, running)) {
    dropEager(step);
    return false;
  }
  change(step, { running: null, missesInRow: 0 });
  count(step, 'eagerHits');
  boundHistory(step);
  adopt(step, running);
  return true;
}

function isStillAsked(step: Step, { request, text }: EagerGeneration): boolean {
  const before = new Step(step.context, step.event, step.moment);
  before.change({ history: step.context.history.slice(0, -1) });
  return JSON.stringify(requestAfter(before, text)) === JSON.stringify(request);
}

/** The floor is no longer the caller's: what was asked ahead and not adopted is dropped. */
export function endEager(step: Step): void {
  dropEager(step);
  change(step, { asked: '' });
}

function dropEager(step: Step): void {
  const { running } = step.context.eager;
  if (running === null) return;
  if (!running.done) step.order({ type: 'model.cancel', generation: running.number });
  missed(step);
}

function missed(step: Step): void {
  change(step, { running: null, missesInRow: step.context.eager.missesInRow + 1 });
  count(step, 'eagerMisses');
}

function change(step: Step, changed: Partial<EagerProgress>): void {
  step.change({ eager: { ...step.context.eager, ...changed } });
}

/** Marks and capitals may still change in a final: they are not what the answer hangs on. */
function normalised(text: string): string {
  return wordsOf(text).join(' ');
}

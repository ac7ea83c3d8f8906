import type { CallContext, EagerGeneration, Generation, Reply } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import { describeProviderError, type ProviderError } from '../ports/provider-error.ts';
import { addAgentItem } from './history.ts';
import { countTokens } from './metrics.ts';
import { changeReply, giveUp, speak } from './reply.ts';
import { conversationRequest } from './request.ts';
import { boundHistory } from './summary.ts';
import { runCalls } from './tool-calls.ts';
import { watchModel } from './watchdogs.ts';

/** Model requests for one turn of the caller. The last one has no functions: it can only answer in words. */
const STEPS_MAX = 8;
/** After so many calls that it got wrong, the model must answer in words. */
const MISTAKES_MAX = 2;
/** Segments of one reply; a model that goes on after them is stopped. */
const SEGMENTS_MAX = 200;
/** Calls of one answer; those after them are left out. */
const CALLS_MAX = 16;

/** Asks the model for the reply's next part, once every tool has answered. */
export function ask(step: Step): void {
  const { reply, tools } = step.context;
  if (reply?.asking !== true || tools.length > 0) return;
  step.change({ owed: false });
  if (reply.steps >= STEPS_MAX) {
    step.log('warn', `the model made ${STEPS_MAX} steps in one turn and was not asked again`);
    changeReply(step, { asking: false });
    return;
  }
  changeReply(step, { asking: false, steps: reply.steps + 1 });
  boundHistory(step);
  generate(step, addAgentItem(step), false);
}

function generate(step: Step, item: number, retry: boolean): void {
  const { reply } = step.context;
  if (reply === null) return;
  const functions = reply.steps < STEPS_MAX && reply.mistakes < MISTAKES_MAX;
  const request = conversationRequest(step, functions);
  const generation: Generation = {
    number: step.next('generation'),
    item,
    stateIndex: step.context.stateIndex,
    requestedUs: step.nowUs,
    firstTokenUs: null,
    calls: [],
    said: false,
    retry,
  };
  changeReply(step, { generation });
  step.order({ type: 'model.request', generation: generation.number, request });
  watchModel(step);
}

/**
 * What was generated eagerly becomes the reply's first generation, as if it had been asked now and its answer had come
 * at once: later events of its number go on from here. Its tokens were counted when they were told.
 */
export function adopt(step: Step, eager: EagerGeneration): void {
  const { nowUs } = step;
  const generation: Generation = {
    number: eager.number,
    item: addAgentItem(step),
    stateIndex: step.context.stateIndex,
    requestedUs: nowUs,
    firstTokenUs: null,
    calls: [],
    said: false,
    retry: false,
  };
  step.change({ owed: false });
  changeReply(step, { generation, steps: 1 });
  watchModel(step);
  if (eager.hasFirstToken) takeFirstToken(step, eager.number);
  for (const text of eager.sentences) takeSentence(step, eager.number, text);
  if (eager.done) finish(step, eager.number, {});
}

/** The generation that an event belongs to; null where it was dropped: nothing comes of it then. */
function current(context: CallContext, number: number): { reply: Reply; generation: Generation } | null {
  const { reply } = context;
  return reply?.generation?.number === number ? { reply, generation: reply.generation } : null;
}

export function takeModelEvent(step: Step): void {
  const { event } = step;
  switch (event.type) {
    case 'model.first_token':
      takeFirstToken(step, event.generation);
      break;
    case 'model.sentence':
      takeSentence(step, event.generation, event.text);
      break;
    case 'model.tool_call': {
      const found = current(step.context, event.generation);
      if (found === null || found.generation.calls.length >= CALLS_MAX) return;
      const calls = [...found.generation.calls, event.call];
      changeReply(step, { generation: { ...found.generation, calls } });
      break;
    }
    case 'model.done':
      finish(step, event.generation, event);
      break;
    case 'model.failed':
      fail(step, event.generation, event.error);
      break;
    default:
      return;
  }
}

function takeFirstToken(step: Step, number: number): void {
  const found = current(step.context, number);
  if (found === null) return;
  const { generation, reply } = found;
  const modelTimes = reply.modelTimes ?? { requestedUs: generation.requestedUs, firstTokenUs: step.nowUs };
  changeReply(step, { generation: { ...generation, firstTokenUs: step.nowUs }, modelTimes });
  watchModel(step);
}

function takeSentence(step: Step, number: number, text: string): void {
  const found = current(step.context, number);
  if (found === null) return;
  if (found.reply.segments.length >= SEGMENTS_MAX) {
    step.order({ type: 'model.cancel', generation: number });
    step.log('warn', `the model said more than ${SEGMENTS_MAX} sentences and was stopped`);
    finish(step, number, {});
    return;
  }
  changeReply(step, { generation: { ...found.generation, said: true } });
  speak(step, found.generation.item, text);
  watchModel(step);
}

function finish(step: Step, number: number, event: { readonly usage?: Parameters<typeof countTokens>[1] }): void {
  const found = current(step.context, number);
  if (found === null) return;
  countTokens(step, event.usage);
  step.stopTimer('model');
  changeReply(step, { generation: null });
  const { calls, said } = found.generation;
  if (calls.length > 0) runCalls(step, found.generation);
  else if (!said) unanswered(step, found);
}

/** Nothing was said. A caller who has heard nothing of this reply would wait in silence: it is asked once more. */
function unanswered(
  step: Step,
  { reply, generation }: { readonly reply: Reply; readonly generation: Generation },
): void {
  step.log('warn', 'the model answered with nothing');
  if (reply.segments.length > 0) return;
  if (generation.retry) giveUp(step, 'llm_error');
  else generate(step, generation.item, true);
}

function fail(step: Step, number: number, error: ProviderError): void {
  const found = current(step.context, number);
  if (found === null) return;
  step.stopTimer('model');
  step.log('warn', `the language model failed: ${describeProviderError(error)}`);
  changeReply(step, { generation: null });
  if (error.retryable && !found.generation.said && !found.generation.retry) generate(step, found.generation.item, true);
  else giveUp(step, 'llm_error');
}

/** The model owes an answer for too long: the same as a failure of its own. */
export function modelTimedOut(step: Step): void {
  const generation = step.context.reply?.generation;
  if (generation == null) return;
  step.order({ type: 'model.cancel', generation: generation.number });
  fail(step, generation.number, { provider: '', code: 'timeout', message: 'no answer in time', retryable: true });
}

import type { CallContext, EagerGeneration, Generation, Reply } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { giveUp } from '../failover/call-failure.ts';
import { noticeAnswer, sayNoAnswer } from '../failover/empty-answer.ts';
import { expectFirstToken } from '../fillers/thinking-filler.ts';
import { isSpeakable } from '../languages/words.ts';
import { countTokens } from '../metrics/call-metrics.ts';
import { changeReply, speak } from '../playout/reply.ts';
import { describeProviderError, type ProviderError, type ProviderErrorCode } from '../ports/provider-error.ts';
import { conversationRequest } from '../prompts/model-requests.ts';
import { chooseModel, hasOtherModel, modelInUse, modelKey } from '../provider-choice/model-choice.ts';
import { type Failing, hasCostTime } from '../provider-choice/provider-choice.ts';
import { spreadMs } from '../provider-choice/retry-jitter.ts';
import { modelPatienceMs } from '../provider-choice/timeouts.ts';
import { boundHistory } from '../summary/summary.ts';
import { runCalls } from '../tools/tool-calls.ts';
import { addAgentItem, agentItem } from '../transcript/history.ts';

/** Model requests for one turn of the caller. The last one has no functions: it can only answer in words. */
const STEPS_MAX = 8;
/** After so many calls that it got wrong, the model must answer in words. */
const MISTAKES_MAX = 2;
/** Segments of one reply; a model that goes on after them is stopped. */
const SEGMENTS_MAX = 200;
/** A caller waits no longer than this for a model that asks for it; where there is another one, not at all. */
const RETRY_WAIT_MAX_MS = 1_000;
/** Before a model is asked again that is down, or has had too many requests: a moment, spread over the calls. */
const BACKOFF_MS: Readonly<Partial<Record<ProviderErrorCode, number>>> = { rate_limited: 500, unavailable: 250 };
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
    sayNoAnswer(step);
    return;
  }
  changeReply(step, { asking: false, steps: reply.steps + 1 });
  boundHistory(step);
  generate(step, addAgentItem(step));
  expectFirstToken(step);
}

function generate(step: Step, item: number, retry: { readonly afterMs: number } | null = null): void {
  const generation: Generation = {
    number: step.next('generation'),
    item,
    stateIndex: step.context.stateIndex,
    requestedUs: step.nowUs,
    firstTokenUs: null,
    calls: [],
    said: false,
    model: modelKey(step.context, modelInUse(step)),
    retry: retry !== null,
    waits: retry !== null && retry.afterMs > 0,
  };
  changeReply(step, { generation });
  if (generation.waits) step.startTimer('model', retry?.afterMs ?? 0);
  else request(step, generation);
}

function request(step: Step, generation: Generation): void {
  const { reply } = step.context;
  if (reply === null) return;
  const functions = reply.steps < STEPS_MAX && reply.mistakes < MISTAKES_MAX;
  const { number, item } = generation;
  step.order({ type: 'model.request', generation: number, request: conversationRequest(step, functions, item) });
  watch(step, generation);
}

/** The model owes its first token, or the next sentence. */
function watch(step: Step, generation: Generation): void {
  step.startTimer('model', modelPatienceMs(step, generation));
}

interface Current {
  readonly reply: Reply;
  readonly generation: Generation;
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
    model: modelKey(step.context, modelInUse(step)),
    retry: false,
    waits: false,
  };
  step.change({ owed: false });
  changeReply(step, { generation, steps: 1 });
  watch(step, generation);
  expectFirstToken(step);
  if (eager.hasFirstToken) takeFirstToken(step, eager.number);
  for (const text of eager.sentences) takeSentence(step, eager.number, text);
  if (eager.done) finish(step, eager.number, {});
}

/** The generation that an event belongs to; null where it was dropped: nothing comes of it then. */
function current(context: CallContext, number: number): Current | null {
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
    case 'model.failed': {
      const found = current(step.context, event.generation);
      if (found !== null) fail(step, found.generation, event.error);
      break;
    }
    default:
      return;
  }
}

function takeFirstToken(step: Step, number: number): void {
  const found = current(step.context, number);
  if (found === null) return;
  const { generation, reply } = found;
  const modelTimes = reply.modelTimes ?? { requestedUs: generation.requestedUs, firstTokenUs: step.nowUs };
  const begun = { ...generation, firstTokenUs: step.nowUs };
  changeReply(step, { generation: begun, modelTimes });
  step.stopTimer('one_moment');
  watch(step, begun);
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
  if (isSpeakable(text)) {
    changeReply(step, { generation: { ...found.generation, said: true } });
    noticeAnswer(step);
    speak(step, found.generation.item, text);
  }
  watch(step, found.generation);
}

function finish(step: Step, number: number, event: { readonly usage?: Parameters<typeof countTokens>[1] }): void {
  const found = current(step.context, number);
  if (found === null) return;
  countTokens(step, event.usage);
  step.stopTimer('model');
  changeReply(step, { generation: null });
  const { calls, said } = found.generation;
  if (calls.length > 0) runCalls(step, found.generation);
  else if (!said) unanswered(step, found.generation);
}

/**
 * Nothing was said. A caller who has heard nothing of this answer, or was told to wait for it, would wait in silence: it is
 * asked once more, and then of the next model. A menu waits for nothing.
 */
function unanswered(step: Step, generation: Generation): void {
  step.log('warn', 'the model answered with nothing');
  if (agentItem(step.context, generation.item)?.text !== '' || step.context.answer.type === 'ivr') return;
  if (!askElsewhere(step, generation, { retryable: true, stalled: false })) sayNoAnswer(step);
}

function fail(step: Step, generation: Generation, error: ProviderError): void {
  step.stopTimer('model');
  step.log('warn', `the language model failed: ${describeProviderError(error)}`);
  changeReply(step, { generation: null });
  const failing = { retryable: error.retryable, stalled: hasCostTime(error) };
  // Where there is another one, the caller is not kept waiting for this.
  const isAlone = !hasOtherModel(step, [generation.model]);
  const backoffMs = isAlone ? spreadMs(step.context, BACKOFF_MS[error.code] ?? 0) : 0;
  const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs);
  if (!askElsewhere(step, generation, failing, waitMs)) giveUp(step, 'llm_error', describeProviderError(error));
}

/**
 * The same model once more, or the next one; false: there is none. What was given to the voice stands: whoever is asked
 * now goes on from there. The calls of a generation that failed are forgotten with it.
 */
function askElsewhere(
  step: Step,
  { model, item, firstTokenUs, retry }: Generation,
  failing: Failing,
  retryAfterMs = 0,
): boolean {
  const choice = chooseModel(step, model, failing, !retry);
  // It had begun, and has fallen silent.
  if (firstTokenUs !== null && choice.type !== 'gone') expectFirstToken(step);
  if (choice.type === 'next') generate(step, item);
  if (choice.type === 'again') generate(step, item, { afterMs: Math.min(retryAfterMs, RETRY_WAIT_MAX_MS) });
  return choice.type !== 'gone';
}

/** The model may be asked again now; or it owes an answer for too long, the same as a failure of its own. */
export function modelTimedOut(step: Step): void {
  const generation = step.context.reply?.generation;
  if (generation == null) return;
  if (generation.waits) {
    const due = { ...generation, waits: false, requestedUs: step.nowUs };
    changeReply(step, { generation: due });
    request(step, due);
    return;
  }
  step.order({ type: 'model.cancel', generation: generation.number });
  const provider = generation.model;
  const error: ProviderError = { provider, code: 'timeout', message: 'no answer in time', retryable: true };
  fail(step, generation, error);
}

import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { EagerGeneration, Generation } from '../core/state/generation-slice.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { hasOtherModel, modelInUse, modelKey } from '../current-providers/current-model.ts';
import { modelTimeoutMs } from '../current-providers/provider-timeouts.ts';
import { failCall } from '../failover/call-failure.ts';
import { apologiseForEmptyAnswer, resetEmptyAnswers } from '../failover/empty-response.ts';
import { chooseModelAfterFailure } from '../failover/model-failover.ts';
import { jitteredMs } from '../failover/retry-jitter.ts';
import { isStall, type ProviderFailure } from '../failover/retry-or-fallback.ts';
import { startThinkingFillerTimer } from '../fillers/thinking-filler.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { isSpeakable } from '../languages/words.ts';
import { countTokens } from '../metrics/conversation-metrics.ts';
import { changeReply, speakSegment } from '../playout/reply.ts';
import { describeProviderError, type ProviderError, type ProviderErrorCode } from '../ports/provider-error.ts';
import { conversationRequest } from '../prompts/model-requests.ts';
import { runCalls } from '../tools/tool-calls.ts';
import { addAgentItem, agentItem } from '../transcript/history.ts';

/** Model requests for one user turn. The last has no functions: the model can only answer in words. */
const STEPS_MAX = 8;
/** After so many calls that it got wrong, the model must answer in words. */
const INVALID_CALLS_MAX = 2;
/** Segments of one reply; a model that goes on after them is stopped. */
const SEGMENTS_MAX = 200;
/** The longest wait before a retry, also where the provider asks for more; with another model there is no wait. */
const RETRY_WAIT_MAX_MS = 1_000;
/** Before a model is asked again that is down, or has had too many requests: a moment, spread over the calls. */
const BACKOFF_MS: Readonly<Partial<Record<ProviderErrorCode, number>>> = { rate_limited: 500, unavailable: 250 };
/** Calls of one answer; those after them are left out. */
const CALLS_MAX = 16;

/** Asks the model for the reply's next part, once every tool has answered. */
export function startGeneration(step: RuleStep): void {
  const { reply, runningTools } = step.context;
  if (reply?.requestPending !== true || runningTools.length > 0) return;
  step.change({ pendingResponse: false });
  if (reply.steps >= STEPS_MAX) {
    step.log('warn', `the model made ${STEPS_MAX} steps in one turn and was not asked again`);
    changeReply(step, { requestPending: false });
    apologiseForEmptyAnswer(step);
    return;
  }
  changeReply(step, { requestPending: false, steps: reply.steps + 1 });
  fitHistoryToBudget(step);
  generate(step, addAgentItem(step));
  startThinkingFillerTimer(step);
}

function generate(step: RuleStep, item: number, retry: { readonly afterMs: number } | null = null): void {
  const generation: Generation = {
    number: step.next('generation'),
    item,
    stateIndex: step.context.stateIndex,
    requestedUs: step.nowUs,
    firstTokenUs: null,
    calls: [],
    spoke: false,
    model: modelKey(step.context, modelInUse(step)),
    retry: retry !== null,
    backingOff: retry !== null && retry.afterMs > 0,
  };
  changeReply(step, { generation });
  if (generation.backingOff) step.startTimer('generation', retry?.afterMs ?? 0);
  else request(step, generation);
}

function request(step: RuleStep, generation: Generation): void {
  const { reply } = step.context;
  if (reply === null) return;
  const functions = reply.steps < STEPS_MAX && reply.invalidCalls < INVALID_CALLS_MAX;
  const { number, item } = generation;
  step.command({ type: 'model.request', generation: number, request: conversationRequest(step, functions, item) });
  startModelTimer(step, generation);
}

/** The deadline of the first token, or of the next sentence. */
function startModelTimer(step: RuleStep, generation: Generation): void {
  step.startTimer('generation', modelTimeoutMs(step, generation));
}

interface CurrentGeneration {
  readonly reply: Reply;
  readonly generation: Generation;
}

/**
 * What was generated eagerly becomes the reply's first generation, as if it had been asked now and its answer had come
 * at once: later events of its number go on from here. Its tokens were counted when they were told.
 */
export function adoptGeneration(step: RuleStep, eager: EagerGeneration): void {
  const { nowUs } = step;
  const generation: Generation = {
    number: eager.number,
    item: addAgentItem(step),
    stateIndex: step.context.stateIndex,
    requestedUs: nowUs,
    firstTokenUs: null,
    calls: [],
    spoke: false,
    model: modelKey(step.context, modelInUse(step)),
    retry: false,
    backingOff: false,
  };
  step.change({ pendingResponse: false });
  changeReply(step, { generation, steps: 1 });
  startModelTimer(step, generation);
  startThinkingFillerTimer(step);
  if (eager.hasFirstToken) onFirstToken(step, eager.number);
  for (const text of eager.sentences) onSentence(step, eager.number, text);
  if (eager.done) finish(step, eager.number, {});
}

/** The generation that an event belongs to; null where it was dropped. */
function current(context: CallContext, number: number): CurrentGeneration | null {
  const { reply } = context;
  return reply?.generation?.number === number ? { reply, generation: reply.generation } : null;
}

export function onModelEvent(step: RuleStep): void {
  const { event } = step;
  switch (event.type) {
    case 'model.first_token':
      onFirstToken(step, event.generation);
      break;
    case 'model.sentence':
      onSentence(step, event.generation, event.text);
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

function onFirstToken(step: RuleStep, number: number): void {
  const found = current(step.context, number);
  if (found === null) return;
  const { generation, reply } = found;
  const modelTimes = reply.modelTimes ?? { requestedUs: generation.requestedUs, firstTokenUs: step.nowUs };
  const begun = { ...generation, firstTokenUs: step.nowUs };
  changeReply(step, { generation: begun, modelTimes });
  step.stopTimer('thinking_filler');
  startModelTimer(step, begun);
}

function onSentence(step: RuleStep, number: number, text: string): void {
  const found = current(step.context, number);
  if (found === null) return;
  if (found.reply.segments.length >= SEGMENTS_MAX) {
    step.command({ type: 'model.cancel', generation: number });
    step.log('warn', `the model said more than ${SEGMENTS_MAX} sentences and was stopped`);
    finish(step, number, {});
    return;
  }
  if (isSpeakable(text)) {
    changeReply(step, { generation: { ...found.generation, spoke: true } });
    resetEmptyAnswers(step);
    speakSegment(step, found.generation.item, text);
  }
  startModelTimer(step, found.generation);
}

function finish(step: RuleStep, number: number, event: { readonly usage?: Parameters<typeof countTokens>[1] }): void {
  const found = current(step.context, number);
  if (found === null) return;
  countTokens(step, event.usage);
  step.stopTimer('generation');
  changeReply(step, { generation: null });
  const { calls, spoke } = found.generation;
  if (calls.length > 0) runCalls(step, found.generation);
  else if (!spoke) onEmptyAnswer(step, found.generation);
}

/**
 * Nothing was said. A user who has heard nothing of this answer, or was told to wait for it, would wait in silence: it is
 * asked once more, and then of the next model. A menu waits for nothing.
 */
function onEmptyAnswer(step: RuleStep, generation: Generation): void {
  step.log('warn', 'the model answered with nothing');
  if (agentItem(step.context, generation.item)?.text !== '' || step.context.answeringMachine.type === 'ivr') return;
  if (!askNextModel(step, generation, { retryable: true, stalled: false })) apologiseForEmptyAnswer(step);
}

function fail(step: RuleStep, generation: Generation, error: ProviderError): void {
  step.stopTimer('generation');
  step.log('warn', `the language model failed: ${describeProviderError(error)}`);
  changeReply(step, { generation: null });
  const failing = { retryable: error.retryable, stalled: isStall(error) };
  // Another model is asked at once instead of waiting for this one.
  const isAlone = !hasOtherModel(step, [generation.model]);
  const backoffMs = isAlone ? jitteredMs(step.context, BACKOFF_MS[error.code] ?? 0) : 0;
  const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs);
  if (!askNextModel(step, generation, failing, waitMs)) failCall(step, 'llm_error', describeProviderError(error));
}

/**
 * The same model once more, or the next one; false: there is none. What was given to the voice stands: whoever is asked
 * now goes on from there. The calls of a generation that failed are forgotten with it.
 */
function askNextModel(
  step: RuleStep,
  { model, item, firstTokenUs, retry }: Generation,
  failing: ProviderFailure,
  retryAfterMs = 0,
): boolean {
  const choice = chooseModelAfterFailure(step, model, failing, !retry);
  // It had begun, and has fallen silent.
  if (firstTokenUs !== null && choice.type !== 'none') startThinkingFillerTimer(step);
  if (choice.type === 'next') generate(step, item);
  if (choice.type === 'retry') generate(step, item, { afterMs: Math.min(retryAfterMs, RETRY_WAIT_MAX_MS) });
  return choice.type !== 'none';
}

/** The retry delay is over, or the model has timed out: a timeout counts as a failure. */
export function onModelTimer(step: RuleStep): void {
  const generation = step.context.reply?.generation;
  if (generation == null) return;
  if (generation.backingOff) {
    const due = { ...generation, backingOff: false, requestedUs: step.nowUs };
    changeReply(step, { generation: due });
    request(step, due);
    return;
  }
  step.command({ type: 'model.cancel', generation: generation.number });
  const provider = generation.model;
  const error: ProviderError = { provider, code: 'timeout', message: 'no answer in time', retryable: true };
  fail(step, generation, error);
}

import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { isMenu } from '../core/state/answering-machine-slice.ts';
import { FIRST_ATTEMPT, type Generation } from '../core/state/generation-slice.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { currentModel, modelKey, modelNamed } from '../current-providers/current-model.ts';
import { modelTimeoutMs } from '../current-providers/provider-timeouts.ts';
import { apologiseForEmptyResponse, resetEmptyResponses } from '../failover/empty-response.ts';
import { failTurn, resetFailedTurns } from '../failover/failed-turn.ts';
import {
  attemptAfterEmptyResponse,
  attemptAfterFailure,
  type NextAttempt,
  resetModelFailure,
} from '../failover/model-failover.ts';
import { watchSilence } from '../fillers/filler.ts';
import { fitHistoryToBudget } from '../history-summary/history-summary.ts';
import { isSpeakable } from '../languages/words.ts';
import { countTokens } from '../metrics/conversation-metrics.ts';
import { addSpokenText, changeReply, speakSegment } from '../playout/reply.ts';
import { withholdSentence } from '../playout/voice-ahead.ts';
import { isReplyWithheld } from '../playout/withheld-reply.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import { describeProviderError, type ProviderError } from '../ports/provider-error.ts';
import { conversationRequest } from '../prompts/conversation-request.ts';
import { waitsForVariables } from '../tools/awaited-filler.ts';
import { runToolCalls } from '../tools/tool-calls.ts';
import { addAgentItem, agentItem } from '../transcript/history.ts';
import { commitPendingTurn } from '../turn-detection/commit-turn.ts';

/** Model requests for one user turn. The last one offers no tools: the model can only answer in words. */
const MODEL_REQUESTS_MAX = 8;
/** After this many invalid tool calls, the model must answer in words. */
const INVALID_CALLS_MAX = 2;
/** Segments of one reply; a generation that exceeds them is cancelled. */
const SEGMENTS_MAX = 200;
/** Tool calls of one generation; later ones are ignored. */
const CALLS_MAX = 16;

/** Starts the reply's next generation, once none of its tools runs. Tools of earlier replies may still run. */
export function startGeneration(step: RuleStep): void {
  const { reply, runningTools } = step.context;
  if (reply?.requestPending !== true || runningTools.some((tool) => tool.reply === reply.number)) return;
  if (waitsForVariables(step.context)) return;
  step.change({ pendingResponse: false });
  if (reply.modelRequests >= MODEL_REQUESTS_MAX) {
    step.log({ type: 'generation_limit_reached', generations: MODEL_REQUESTS_MAX });
    changeReply(step, { requestPending: false });
    apologiseForEmptyResponse(step);
    return;
  }
  changeReply(step, { requestPending: false, modelRequests: reply.modelRequests + 1 });
  fitHistoryToBudget(step);
  generate(step, addAgentItem(step));
  watchSilence(step);
}

function generate(step: RuleStep, item: number, attempt = firstAttempt(step)): void {
  const generation: Generation = {
    number: step.nextNumber('generation'),
    item,
    stateIndex: step.context.stateIndex,
    requestedUs: step.nowUs,
    firstTokenUs: null,
    toolCalls: [],
    spoke: false,
    model: attempt.model,
    attempts: attempt.attempts,
    backingOff: attempt.afterMs > 0,
    hasEnded: false,
    failure: null,
  };
  changeReply(step, { generation });
  if (generation.backingOff) step.startTimer('generation', attempt.afterMs);
  else request(step, generation);
}

function firstAttempt(step: RuleStep): NextAttempt {
  return { model: modelKey(step.context, currentModel(step)), afterMs: 0, attempts: FIRST_ATTEMPT };
}

function request(step: RuleStep, generation: Generation): void {
  const { reply } = step.context;
  if (reply === null) return;
  const modelRequest = requestOf(step, reply, generation);
  if (reply.pending !== null) changeReply(step, { pending: { ...reply.pending, request: modelRequest } });
  step.command({ type: 'model.request', generation: generation.number, request: modelRequest });
  startModelTimer(step, generation);
}

function requestOf(
  step: RuleStep,
  { modelRequests, invalidCalls }: Reply,
  generation: Pick<Generation, 'item' | 'model'> | null,
): ModelRequest {
  const functions = modelRequests < MODEL_REQUESTS_MAX && invalidCalls < INVALID_CALLS_MAX;
  if (generation === null) return conversationRequest(step, functions);
  const llm = modelNamed(step.context, generation.model);
  return conversationRequest(step, functions, { itemId: generation.item, llm });
}

/** The deadline of the first token, or of the next sentence. */
function startModelTimer(step: RuleStep, generation: Generation): void {
  step.startTimer('generation', modelTimeoutMs(step, generation));
}

interface CurrentGeneration {
  readonly reply: Reply;
  readonly generation: Generation;
}

/** Whether the request of the pending turn would be the same now. */
export function isCurrentRequest(step: RuleStep): boolean {
  const { reply } = step.context;
  if (reply?.pending?.request == null) return true;
  return JSON.stringify(requestOf(step, reply, reply.generation)) === JSON.stringify(reply.pending.request);
}

/** The end of the user turn is certain: sentences go to the voice, and tools run. */
export function releaseGeneration(step: RuleStep): void {
  const { reply } = step.context;
  if (reply === null) return;
  const { generation, withheldSentences } = reply;
  changeReply(step, { withheldSentences: [] });
  for (const { item, text, isVoiced } of withheldSentences) {
    if (isVoiced) addSpokenText(step, item, text);
    else speakSegment(step, item, text);
    resetEmptyResponses(step);
    watchSilence(step);
  }
  if (generation === null || !generation.hasEnded) return;
  if (generation.failure === null) finish(step, generation.number, {});
  else fail(step, generation, generation.failure);
}

/** The generation that an event belongs to; null if it was dropped. */
function findGeneration(context: CallContext, number: number): CurrentGeneration | null {
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
      const found = findGeneration(step.context, event.generation);
      if (found === null || found.generation.toolCalls.length >= CALLS_MAX) return;
      const toolCalls = [...found.generation.toolCalls, event.call];
      changeReply(step, { generation: { ...found.generation, toolCalls } });
      break;
    }
    case 'model.done':
      finish(step, event.generation, event);
      break;
    case 'model.failed': {
      const found = findGeneration(step.context, event.generation);
      if (found !== null) fail(step, found.generation, event.error);
      break;
    }
    default:
      return;
  }
}

function onFirstToken(step: RuleStep, number: number): void {
  const found = findGeneration(step.context, number);
  if (found === null) return;
  const started = { ...found.generation, firstTokenUs: step.nowUs };
  changeReply(step, { generation: started });
  startModelTimer(step, started);
}

function onSentence(step: RuleStep, number: number, text: string): void {
  const found = findGeneration(step.context, number);
  if (found === null) return;
  if (found.reply.segments.length + found.reply.withheldSentences.length >= SEGMENTS_MAX) {
    step.command({ type: 'model.cancel', generation: number });
    step.log({ type: 'segment_limit_reached', segments: SEGMENTS_MAX });
    finish(step, number, {});
    return;
  }
  if (isSpeakable(text)) {
    changeReply(step, { generation: { ...found.generation, spoke: true } });
    const { item } = found.generation;
    if (isReplyWithheld(step.context)) withholdSentence(step, item, text);
    else {
      resetEmptyResponses(step);
      speakSegment(step, item, text);
      watchSilence(step);
    }
  }
  startModelTimer(step, found.generation);
}

function finish(step: RuleStep, number: number, event: { readonly usage?: Parameters<typeof countTokens>[1] }): void {
  const found = findGeneration(step.context, number);
  if (found === null) return;
  countTokens(step, event.usage);
  step.stopTimer('generation');
  const { toolCalls, spoke, model } = found.generation;
  resetModelFailure(step, model);
  if (toolCalls.length > 0 && isReplyWithheld(step.context)) {
    changeReply(step, { generation: { ...found.generation, hasEnded: true } });
    return;
  }
  changeReply(step, { generation: null });
  if (spoke && toolCalls.length === 0) resetFailedTurns(step, 'llm_error');
  if (toolCalls.length > 0) {
    commitPendingTurn(step);
    runToolCalls(step, found.generation);
  } else if (!spoke && !isReplyWithheld(step.context)) onEmptyAnswer(step, found.generation);
}

/**
 * The generation had neither speech nor tool calls. If the user has heard nothing of this answer, the model is asked
 * again and then the next model. A menu does not wait for an answer.
 */
function onEmptyAnswer(step: RuleStep, generation: Generation): void {
  if (agentItem(step.context, generation.item)?.text !== '' || isMenu(step.context.answeringMachine)) {
    step.log({ type: 'response_empty', provider: generation.model });
    return;
  }
  const next = attemptAfterEmptyResponse(step, generation);
  if (next === null) apologiseForEmptyResponse(step);
  else askAgain(step, generation, next);
}

function fail(step: RuleStep, generation: Generation, error: ProviderError): void {
  step.stopTimer('generation');
  if (isReplyWithheld(step.context)) {
    // Without a sentence the turn is asked about again at its end. Otherwise the failure counts then: the rest is missing.
    const { segments = [], withheldSentences = [] } = step.context.reply ?? {};
    const hasText = segments.length + withheldSentences.length > 0;
    changeReply(step, { generation: hasText ? { ...generation, hasEnded: true, failure: error } : null });
    return;
  }
  changeReply(step, { generation: null });
  const next = attemptAfterFailure(step, generation, error);
  if (next === null) failTurn(step, 'llm_error', describeProviderError(error));
  else askAgain(step, generation, next);
}

/**
 * Asks the same model again, or the next one. Text that the voice has stays, and the new generation continues it. Tool
 * calls of the failed generation are discarded.
 */
function askAgain(step: RuleStep, { item }: Generation, next: NextAttempt): void {
  generate(step, item, next);
  watchSilence(step);
}

/** The retry delay is over, or the model has timed out: a timeout counts as a failure. */
export function onModelTimer(step: RuleStep): void {
  const generation = step.context.reply?.generation;
  if (generation == null) return;
  if (generation.backingOff) {
    const retried = { ...generation, backingOff: false, requestedUs: step.nowUs };
    changeReply(step, { generation: retried });
    request(step, retried);
    return;
  }
  step.command({ type: 'model.cancel', generation: generation.number });
  const provider = generation.model;
  const error: ProviderError = { provider, code: 'timeout', message: 'no answer in time', retryable: true };
  fail(step, generation, error);
}

import type { AgentState, Tool } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import { requestMessage } from '../answering-machine/machine-turn.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Generation } from '../core/state/generation-slice.ts';
import type { ToolResultEntry } from '../core/state/playout-slice.ts';
import type { RunningTool } from '../core/state/tools-slice.ts';
import { queueDtmf } from '../dtmf/send-dtmf.ts';
import { apologiseForEmptyAnswer } from '../failover/empty-response.ts';
import { startToolFillerTimer } from '../fillers/tool-filler.ts';
import { makeUninterruptible } from '../interruption/interruption.ts';
import { changeReply, requestGeneration, say, setFollowUp } from '../playout/reply.ts';
import type { ModelToolCall } from '../ports/language-model.ts';
import {
  KNOWLEDGE_PARAMETERS,
  KNOWLEDGE_TOOL_TYPE,
  type KnowledgeFunction,
  knowledgeFunction,
  knowledgeSearch,
} from '../tool-definitions/knowledge-search-tool.ts';
import { modelParameters, type TransitionFunction, transitionFunctions } from '../tool-definitions/model-functions.ts';
import { functionRun, objectEntries, parseArguments } from '../tool-definitions/tool-arguments.ts';
import { transferRequest } from '../tool-definitions/transfer-request.ts';
import { addResult, agentItem, changeAgentItem, withUniqueIds } from '../transcript/history.ts';
import { writeToolCall, writeToolResult } from '../transcript/transcript.ts';
import { parseJson } from '../variables/coercion.ts';
import { filled } from '../variables/variables.ts';

/** What the runner may take beyond the tool's own timeout before it is given up. */
const RUNNER_SLACK_MS = 2_000;
/** After the second mistake the model is asked without functions; after the third it is not asked again. */
const INVALID_CALLS_ANSWERED = 2;
/** A search takes some ms; after this the model answers without it. */
const SEARCH_MAX_MS = 2_000;

/** The calls of a generation that came to its end. They are committed to the history together, in the order given. */
export function runCalls(step: RuleStep, generation: Generation): void {
  const state = step.context.agent.states[generation.stateIndex];
  const ways = transitionFunctions(step.context.agent.states, generation.stateIndex);
  const knowledge = knowledgeFunction(step.context, generation.stateIndex);
  if (state === undefined) return;
  const calls = withUniqueIds(step.context, generation.calls, generation.number);
  changeAgentItem(step, generation.item, { calls: calls.map(strict) });
  let moved = false;
  for (const call of calls) {
    const way = ways.find((one) => one.functionName === call.name);
    if (way !== undefined && moved) addResult(step, call.id, 'Not done: the conversation has already moved on.');
    else if (way !== undefined) {
      moved = true;
      takeTransition(step, generation.item, call, way);
    } else if (call.name === knowledge?.name) startSearch(step, knowledge, generation.item, call);
    else runTool(step, state, generation.item, call);
  }
  if (isLeftSilent(step, generation)) apologiseForEmptyAnswer(step);
}

/** The model made one mistake too many, and nothing was said beside it, runs, or is asked for. */
function isLeftSilent({ context }: RuleStep, { item }: Generation): boolean {
  const { reply, runningTools } = context;
  if (reply === null || reply.requestPending || reply.invalidCalls <= INVALID_CALLS_ANSWERED || runningTools.length > 0)
    return false;
  return agentItem(context, item)?.text === '';
}

/** As a strict provider takes it back in the history. */
function strict(call: ModelToolCall): ModelToolCall {
  const parsed = parseJson(call.arguments);
  const isObject = parsed !== undefined && parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed);
  const name = call.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return { id: call.id, name: name === '' ? 'unknown' : name, arguments: isObject ? call.arguments : '{}' };
}

/** The filler is spoken as the state that is left would say it; then the machine moves, and the next state's model goes on. */
function takeTransition(step: RuleStep, item: number, call: ModelToolCall, way: TransitionFunction): void {
  say(step, way.transition.filler_sentence, item);
  addResult(step, call.id, 'Done: go on from here, in the same turn.');
  step.raise({ type: `t${way.ordinal}` });
  requestUnlessEnding(step);
}

function runTool(step: RuleStep, state: AgentState, item: number, call: ModelToolCall): void {
  const tool = state.tools.find((one) => one.name === call.name);
  if (tool === undefined) {
    refuse(step, call, 'unknown', `There is no function «${call.name.slice(0, 64)}» here.`);
    return;
  }
  const { values, fault } = parseArguments(call.arguments, modelParameters(tool));
  if (fault !== null) {
    refuse(step, call, tool.type, fault);
    return;
  }
  start(step, tool, item, call, values);
}

type Start<T extends Tool['type']> = (
  step: RuleStep,
  tool: Extract<Tool, { readonly type: T }>,
  item: number,
  call: ModelToolCall,
  values: ReadonlyMap<string, JsonValue>,
) => void;

const start: Start<Tool['type']> = (step, tool, item, call, values) => {
  switch (tool.type) {
    case 'custom_function':
      startFunction(step, tool, item, call, values);
      break;
    case 'hang_up':
      startEnd(step, tool, item, call, values);
      break;
    case 'leave_voicemail_message':
      startMessage(step, tool, item, call, values);
      break;
    case 'wait':
      startWait(step, tool, item, call, values);
      break;
    case 'send_dtmf':
      startSendDtmf(step, tool, item, call, values);
      break;
    case 'transfer_call':
      startTransfer(step, tool, item, call, values);
      break;
    default:
      tool satisfies never;
  }
};

const startFunction: Start<'custom_function'> = (step, tool, item, call, values) => {
  const built = functionRun(step, tool, values);
  if ('fault' in built) {
    refuse(step, call, tool.type, built.fault);
    return;
  }
  writeToolCall(step, call, tool.type, Object.fromEntries(values));
  step.change({ runningTools: [...step.context.runningTools, running(step, item, call)] });
  step.command({ type: 'tool.run', toolCallId: call.id, run: built.run });
  step.startTimer(`tool.${call.id}`, tool.timeout * 1000 + RUNNER_SLACK_MS);
  startToolFillerTimer(step);
  say(step, tool.filler_sentence, item);
  requestUnlessEnding(step);
};

function running(step: RuleStep, item: number, call: ModelToolCall): RunningTool {
  const utterance = step.context.reply?.utterance ?? 0;
  return { toolCallId: call.id, name: call.name, startedUs: step.nowUs, utterance, item };
}

/** Runs beside the conversation, and has its one result, like a function of the user's. */
function startSearch(step: RuleStep, knowledge: KnowledgeFunction, item: number, call: ModelToolCall): void {
  const { values, fault } = parseArguments(call.arguments, KNOWLEDGE_PARAMETERS);
  if (fault !== null) {
    refuse(step, call, KNOWLEDGE_TOOL_TYPE, fault);
    return;
  }
  writeToolCall(step, call, KNOWLEDGE_TOOL_TYPE, Object.fromEntries(values));
  step.change({ runningTools: [...step.context.runningTools, running(step, item, call)] });
  step.command({ type: 'knowledge.search', toolCallId: call.id, search: knowledgeSearch(knowledge, values) });
  step.startTimer(`tool.${call.id}`, SEARCH_MAX_MS);
  requestUnlessEnding(step);
}

const startEnd: Start<'hang_up'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  const result = succeed(step, tool, call, 'The call ends once this has been heard.');
  say(step, tool.filler_sentence, item);
  setFollowUp(step, { type: 'end', reason: 'agent_hangup', result });
};

/** At once where the machine waits for the message already, else after its beep. */
const startMessage: Start<'leave_voicemail_message'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  if (requestMessage(step) === 'later') {
    succeed(step, tool, call, 'The message is said after the beep; then the call ends.');
    return;
  }
  const isSilent = step.context.reply?.segments.length === 0;
  if (isSilent && filled(step, tool.filler_sentence ?? '') === '') {
    refuse(step, call, tool.type, 'There is no message yet: say it, and call this in the same answer.');
    return;
  }
  const result = succeed(step, tool, call, 'The call ends once this has been heard.');
  say(step, tool.filler_sentence, item);
  makeUninterruptible(step);
  setFollowUp(step, { type: 'end', reason: 'voicemail_left', result });
};

const startWait: Start<'wait'> = (step, tool, item, call) => {
  succeed(step, tool, call, 'The caller is given the time.');
  say(step, tool.filler_sentence, item);
  const pausedUntilUs = step.nowUs + tool.duration * 1_000_000;
  step.change({ presence: { ...step.context.presence, pausedUntilUs } });
};

const startSendDtmf: Start<'send_dtmf'> = (step, tool, item, call, values) => {
  const digits = textOf(values.get('digits') ?? '');
  const fault = queueDtmf(step, item, call, digits);
  if (fault !== null) {
    refuse(step, call, tool.type, fault);
    return;
  }
  writeToolCall(step, call, tool.type, { digits });
  say(step, tool.filler_sentence, item);
  requestUnlessEnding(step);
};

const startTransfer: Start<'transfer_call'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  const built = transferRequest(step, tool);
  if ('fault' in built) {
    refuse(step, call, tool.type, built.fault);
    return;
  }
  writeToolCall(step, call, tool.type, {});
  say(step, tool.filler_sentence, item);
  setFollowUp(step, { type: 'transfer', toolCallId: call.id, name: call.name, order: built.order });
};

/** What is done after a reply is decided once, by the first call that asks: another one is told so, at once. */
function isFollowUpDecided(step: RuleStep, tool: Tool, call: ModelToolCall): boolean {
  const decided = step.context.reply?.followUp.type;
  if (decided === undefined || decided === 'listen') return false;
  const first = decided === 'end' ? 'the call ends' : 'the caller is transferred';
  recordResult(step, tool.type, call, { successful: false, content: `Not done: ${first} already.` });
  return true;
}

/** A call without an external party: its result is known at once. */
function succeed(step: RuleStep, tool: Tool, call: ModelToolCall, content: string): ToolResultEntry {
  return recordResult(step, tool.type, call, { successful: true, content });
}

function recordResult(
  step: RuleStep,
  toolType: string,
  call: ModelToolCall,
  result: { readonly successful: boolean; readonly content: string },
): ToolResultEntry {
  writeToolCall(step, call, toolType, Object.fromEntries(objectEntries(parseJson(call.arguments) ?? null)));
  addResult(step, call.id, result.content);
  return writeToolResult(step, { id: call.id, name: call.name }, result);
}

/** Handed back to the model, which may try again, once. */
function refuse(step: RuleStep, call: ModelToolCall, toolType: string, fault: string): void {
  writeToolCall(step, call, toolType, Object.fromEntries(objectEntries(parseJson(call.arguments) ?? null)));
  addResult(step, call.id, `Not done. ${fault}`);
  writeToolResult(step, call, { successful: false, content: fault });
  const mistakes = (step.context.reply?.invalidCalls ?? 0) + 1;
  changeReply(step, { invalidCalls: mistakes });
  if (mistakes <= INVALID_CALLS_ANSWERED) requestUnlessEnding(step);
}

function requestUnlessEnding(step: RuleStep): void {
  if (step.context.reply?.followUp.type === 'listen') requestGeneration(step);
}

import type { JsonValue } from '../agent/json-value.ts';
import type { AgentState } from '../agent/state-schema.ts';
import { textOf } from '../agent/templates.ts';
import type { Tool } from '../agent/tool-schema.ts';
import type { Variable } from '../agent/variable-schema.ts';
import { requestVoicemailMessage } from '../answering-machine/machine-turn.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Generation } from '../core/state/generation-slice.ts';
import type { ToolResultEntry } from '../core/state/playout-slice.ts';
import type { RunningTool } from '../core/state/tools-slice.ts';
import { queueDtmf } from '../dtmf/send-dtmf.ts';
import { apologiseForEmptyResponse } from '../failover/empty-response.ts';
import { watchSilence } from '../fillers/filler.ts';
import { makeUninterruptible } from '../interruption/interruption.ts';
import { announce, changeReply, requestGeneration, setFollowUp } from '../playout/reply.ts';
import type { ModelToolCall } from '../ports/language-model.ts';
import { pauseRecording, resumeRecording } from '../recording/recording-pause.ts';
import {
  KNOWLEDGE_PARAMETERS,
  KNOWLEDGE_TOOL_TYPE,
  type KnowledgeFunction,
  knowledgeFunction,
  knowledgeSearch,
} from '../tool-definitions/knowledge-search-tool.ts';
import {
  modelParameters,
  type TransitionFunction,
  transitionFunctions,
  type VariableParameters,
} from '../tool-definitions/model-functions.ts';
import { buildToolRun, objectEntries, parseToolArguments } from '../tool-definitions/tool-arguments.ts';
import { buildTransferRequest } from '../tool-definitions/transfer-request.ts';
import { variableParameters } from '../tool-definitions/variable-parameters.ts';
import { addToolResult, agentItem, changeAgentItem, withUniqueToolCallIds } from '../transcript/history.ts';
import { writeToolCall, writeToolResult } from '../transcript/transcript.ts';
import { parseJson } from '../variables/coercion.ts';
import { fillVariablesForSpeech, setVariable } from '../variables/variables.ts';
import { sayOnceKnown } from './awaited-filler.ts';

/** Added to the tool's timeout: after that the runner counts as failed. */
const RUNNER_SLACK_MS = 2_000;
/** Invalid calls after which the model is asked again; after the last of them it is offered no tools. */
const INVALID_CALLS_ANSWERED = 2;
/** A search takes some ms; after this the model answers without it. */
const SEARCH_MS_MAX = 2_000;

/** Runs the calls of a finished generation. The history gets all of them together, in the model's order. */
export function runToolCalls(step: RuleStep, generation: Generation): void {
  const state = step.context.agent.states[generation.stateIndex];
  const transitions = transitionFunctions(step.context.agent.states, generation.stateIndex);
  const knowledge = knowledgeFunction(step.context, generation.stateIndex);
  const asked = variableParameters(step.context, generation.stateIndex);
  if (state === undefined) return;
  const calls = withUniqueToolCallIds(step.context, generation.toolCalls, generation.number);
  changeAgentItem(step, generation.item, { calls: calls.map(withValidFields) });
  let moved = false;
  for (const call of calls) {
    const transitionFunction = transitions.find((candidate) => candidate.functionName === call.name);
    if (transitionFunction !== undefined && moved)
      addToolResult(step, call.id, 'Not done: the conversation has already moved on.');
    else if (transitionFunction !== undefined) {
      moved = true;
      setGivenVariables(step, call, asked.ofTransition(transitionFunction));
      takeTransition(step, generation.item, call, transitionFunction);
    } else if (call.name === knowledge?.name) startSearch(step, knowledge, generation.item, call);
    else runTool(step, state, generation.item, call, asked);
  }
  if (isLeftSilent(step, generation)) apologiseForEmptyResponse(step);
}

/** The model made one invalid call too many: it said nothing, no tool runs, and no request is pending. */
function isLeftSilent({ context }: RuleStep, { item }: Generation): boolean {
  const { reply, runningTools } = context;
  if (reply === null || reply.requestPending || reply.invalidCalls <= INVALID_CALLS_ANSWERED || runningTools.length > 0)
    return false;
  return agentItem(context, item)?.text === '';
}

/** The call in a form that strict providers accept in the history. */
function withValidFields(call: ModelToolCall): ModelToolCall {
  const parsed = parseJson(call.arguments);
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  const name = call.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return { id: call.id, name: name === '' ? 'unknown' : name, arguments: isObject ? call.arguments : '{}' };
}

/**
 * Says the filler with the variables of the old state, then moves the state machine; the new state's model continues.
 */
function takeTransition(
  step: RuleStep,
  item: number,
  call: ModelToolCall,
  transitionFunction: TransitionFunction,
): void {
  const { destination, transition } = transitionFunction;
  const prompt = step.context.agent.states[destination]?.prompt;
  sayOnceKnown(step, transition, item, prompt);
  addToolResult(step, call.id, 'Done: go on from here, in the same turn.');
  step.raise({ type: `t${transitionFunction.ordinal}` });
  requestUnlessEnding(step);
}

function runTool(
  step: RuleStep,
  state: AgentState,
  item: number,
  call: ModelToolCall,
  asked: VariableParameters,
): void {
  const tool = state.tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) {
    refuse(step, call, 'unknown', `There is no function «${call.name.slice(0, 64)}» here.`);
    return;
  }
  const { values, fault } = parseToolArguments(call.arguments, modelParameters(tool));
  if (fault !== null) {
    refuse(step, call, tool.type, fault);
    return;
  }
  setGivenVariables(step, call, asked.ofTool(tool));
  startTool(step, tool, item, call, values);
}

/** The model gave these variables with the call. They are no parameters of the tool, and no request contains them. */
function setGivenVariables(step: RuleStep, call: ModelToolCall, variables: readonly Variable[]): void {
  const given = new Map(objectEntries(parseJson(call.arguments) ?? null));
  for (const { name, type } of variables) setVariable(step, name, given.get(name) ?? null, type);
}

type StartTool<T extends Tool['type']> = (
  step: RuleStep,
  tool: Extract<Tool, { readonly type: T }>,
  item: number,
  call: ModelToolCall,
  values: ReadonlyMap<string, JsonValue>,
) => void;

const startTool: StartTool<Tool['type']> = (step, tool, item, call, values) => {
  switch (tool.type) {
    case 'custom_function':
      startCustomFunction(step, tool, item, call, values);
      break;
    case 'hang_up':
      startHangUp(step, tool, item, call, values);
      break;
    case 'leave_voicemail_message':
      startVoicemailMessage(step, tool, item, call, values);
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
    case 'pause_recording':
      startPauseRecording(step, tool, item, call, values);
      break;
    case 'resume_recording':
      startResumeRecording(step, tool, item, call, values);
      break;
    default:
      tool satisfies never;
  }
};

const startCustomFunction: StartTool<'custom_function'> = (step, tool, item, call, values) => {
  const request = buildToolRun(step, tool, values);
  if ('fault' in request) {
    refuse(step, call, tool.type, request.fault);
    return;
  }
  writeToolCall(step, call, tool.type, Object.fromEntries(values));
  step.change({ runningTools: [...step.context.runningTools, runningTool(step, item, call)] });
  step.command({ type: 'tool.run', toolCallId: call.id, run: request.run });
  step.startTimer(`tool.${call.id}`, tool.timeout * 1000 + RUNNER_SLACK_MS);
  sayOnceKnown(step, tool, item);
  watchSilence(step);
  requestUnlessEnding(step);
};

function runningTool(step: RuleStep, item: number, call: ModelToolCall): RunningTool {
  const reply = step.context.reply?.number ?? 0;
  return { toolCallId: call.id, name: call.name, startedUs: step.nowUs, reply, item };
}

/** A search runs in parallel with the conversation and has one result, like a custom function. */
function startSearch(step: RuleStep, knowledge: KnowledgeFunction, item: number, call: ModelToolCall): void {
  const { values, fault } = parseToolArguments(call.arguments, KNOWLEDGE_PARAMETERS);
  if (fault !== null) {
    refuse(step, call, KNOWLEDGE_TOOL_TYPE, fault);
    return;
  }
  writeToolCall(step, call, KNOWLEDGE_TOOL_TYPE, Object.fromEntries(values));
  step.change({ runningTools: [...step.context.runningTools, runningTool(step, item, call)] });
  step.command({ type: 'knowledge.search', toolCallId: call.id, search: knowledgeSearch(knowledge, values) });
  step.startTimer(`tool.${call.id}`, SEARCH_MS_MAX);
  watchSilence(step);
  requestUnlessEnding(step);
}

const startHangUp: StartTool<'hang_up'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  const result = succeed(step, tool, call, 'The call ends once this has been heard.');
  announce(step, tool, item);
  setFollowUp(step, { type: 'end', reason: 'agent_hangup', result });
};

/** Says the message at once if the machine records already, otherwise after its beep. */
const startVoicemailMessage: StartTool<'leave_voicemail_message'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  if (requestVoicemailMessage(step) === 'later') {
    succeed(step, tool, call, 'The message is said after the beep; then the call ends.');
    return;
  }
  const isSilent = step.context.reply?.segments.length === 0;
  if (isSilent && fillVariablesForSpeech(step, tool.filler_sentence ?? '') === '') {
    refuse(step, call, tool.type, 'There is no message yet: say it, and call this in the same answer.');
    return;
  }
  const result = succeed(step, tool, call, 'The call ends once this has been heard.');
  announce(step, tool, item);
  makeUninterruptible(step);
  setFollowUp(step, { type: 'end', reason: 'voicemail_left', result });
};

const startWait: StartTool<'wait'> = (step, tool, item, call) => {
  succeed(step, tool, call, 'The caller is given the time.');
  announce(step, tool, item);
  const pausedUntilUs = step.nowUs + tool.duration * 1_000_000;
  step.change({ presence: { ...step.context.presence, pausedUntilUs } });
};

const startSendDtmf: StartTool<'send_dtmf'> = (step, tool, item, call, values) => {
  const digits = textOf(values.get('digits') ?? '');
  const fault = queueDtmf(step, item, call, digits);
  if (fault !== null) {
    refuse(step, call, tool.type, fault);
    return;
  }
  writeToolCall(step, call, tool.type, { digits });
  announce(step, tool, item);
  requestUnlessEnding(step);
};

const startTransfer: StartTool<'transfer_call'> = (step, tool, item, call) => {
  if (isFollowUpDecided(step, tool, call)) return;
  const built = buildTransferRequest(step, tool);
  if ('fault' in built) {
    refuse(step, call, tool.type, built.fault);
    return;
  }
  writeToolCall(step, call, tool.type, {});
  announce(step, tool, item);
  setFollowUp(step, { type: 'transfer', toolCallId: call.id, name: call.name, request: built.request });
};

const startPauseRecording: StartTool<'pause_recording'> = (step, tool, item, call) => {
  succeed(step, tool, call, 'The recording is paused.');
  pauseRecording(step, 'tool');
  announce(step, tool, item);
  requestUnlessEnding(step);
};

const startResumeRecording: StartTool<'resume_recording'> = (step, tool, item, call) => {
  const isResumed = resumeRecording(step);
  succeed(step, tool, call, isResumed ? 'The recording goes on.' : 'The recording stays paused here.');
  announce(step, tool, item);
  requestUnlessEnding(step);
};

/** A reply has one follow-up, that of the first call that requests one. A later call gets a failed result at once. */
function isFollowUpDecided(step: RuleStep, tool: Tool, call: ModelToolCall): boolean {
  const decided = step.context.reply?.followUp.type;
  if (decided === undefined || decided === 'listen') return false;
  const first = decided === 'end' ? 'the call ends' : 'the caller is transferred';
  recordResult(step, tool.type, call, { successful: false, content: `Not done: ${first} already.` });
  return true;
}

/** A call that needs no tool runner: its result is known at once. */
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
  addToolResult(step, call.id, result.content);
  return writeToolResult(step, { id: call.id, name: call.name }, result);
}

/** Rejects an invalid call. The model gets the fault and may correct the call. */
function refuse(step: RuleStep, call: ModelToolCall, toolType: string, fault: string): void {
  writeToolCall(step, call, toolType, Object.fromEntries(objectEntries(parseJson(call.arguments) ?? null)));
  addToolResult(step, call.id, `Not done. ${fault}`);
  writeToolResult(step, call, { successful: false, content: fault });
  const invalidCalls = (step.context.reply?.invalidCalls ?? 0) + 1;
  changeReply(step, { invalidCalls });
  if (invalidCalls <= INVALID_CALLS_ANSWERED) requestUnlessEnding(step);
}

function requestUnlessEnding(step: RuleStep): void {
  if (step.context.reply?.followUp.type === 'listen') requestGeneration(step);
}

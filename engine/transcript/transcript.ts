import type { PressedKeys, Reply, ResultLine, Segment } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import type { TransferOrder } from '../ports/call-control.ts';
import type { TransferEntry } from '../ports/journal.ts';
import type { JsonValue, ModelToolCall } from '../ports/language-model.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import { turnText } from '../turn-detection/turn-text.ts';
import { agentItem, changeAgentItem, joinSpoken } from './history.ts';
import { heardOfSegment, segmentPlayedMs } from './played-text.ts';

/** The caller's line so far. It begins when their speech began and keeps its place while it grows. */
export function writeCallerLine(step: Step): void {
  const { caller } = step.context;
  const content = turnText(caller);
  if (content === '') return;
  const line = caller.line ?? { sequence: step.next('sequence'), startUs: caller.startedUs ?? step.nowUs };
  step.change({ caller: { ...step.context.caller, line } });
  const entry = { role: 'user' as const, ...line, endUs: caller.endedUs, content };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

export function writeDigits(step: Step, { keys, startUs, endUs }: PressedKeys): void {
  const entry = { role: 'dtmf' as const, sequence: step.next('sequence'), startUs, endUs, content: keys };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

/** The agent's line of one history item, as far as its segments have begun to leave on the wire. */
export function writeAgentLine(step: Step, reply: Reply, itemId: number): void {
  const begun = reply.segments.filter((segment) => segment.item === itemId && segment.wire !== null);
  const line = openLine(step, itemId, begun[0]);
  if (line === null) return;
  const last = begun.at(-1);
  const entry = {
    role: 'agent' as const,
    ...line,
    endUs: last?.ended === true ? step.nowUs : null,
    content: joinSpoken(...begun.map((segment) => segment.text)),
    interrupted: false,
  };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

/**
 * Cuts the lines and the history of a reply to what was heard of it: both say the same, to the word. The same cut may be
 * made again once it is known to the sample.
 */
export function cutToHeard(step: Step, reply: Reply, playedMs: number): void {
  for (const itemId of new Set(reply.segments.map((segment) => segment.item))) {
    const item = agentItem(step.context, itemId);
    const segments = reply.segments.filter((segment) => segment.item === itemId);
    const heard = joinSpoken(...segments.map((segment) => heardOfSegment(segment, playedMs)));
    // Cut in its last sound a line is whole, and was still open.
    const isOpen = item?.heard === null && segments.some(({ wire, ended }) => wire !== null && !ended);
    if (item === undefined || ((item.heard ?? item.text) === heard && !isOpen)) continue;
    changeAgentItem(step, itemId, { heard });
    if (item.line === null) continue;
    const isWhole = heard === item.text;
    const entry = {
      role: 'agent' as const,
      ...item.line,
      endUs: leftUntilUs(segments, playedMs, step.nowUs),
      content: heard,
      interrupted: !isWhole,
      ...(!isWhole && { generatedContent: item.text }),
    };
    step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
  }
}

/** When the last of these segments left the wire: a playout was held before it was cut. */
function leftUntilUs(segments: readonly Segment[], playedMs: number, nowUs: number): number {
  const last = segments.findLast(({ wire }) => wire !== null);
  if (last?.wire == null) return nowUs;
  const lastMs = segmentPlayedMs(last, playedMs);
  const us = last.wire.startedUs + Math.round(Math.min(lastMs, last.durationMs ?? lastMs) * 1000);
  return Math.min(nowUs, us);
}

function openLine(step: Step, itemId: number, first: Segment | undefined) {
  const item = agentItem(step.context, itemId);
  if (item === undefined || first?.wire == null) return null;
  if (item.line !== null) return item.line;
  const line = { sequence: step.next('sequence'), startUs: first.wire.startedUs };
  changeAgentItem(step, itemId, { line });
  return line;
}

export function writeToolCall(
  step: Step,
  call: ModelToolCall,
  toolType: string,
  args: { readonly [key: string]: JsonValue },
): void {
  const entry = {
    role: 'tool_call' as const,
    sequence: step.next('sequence'),
    startUs: step.nowUs,
    endUs: step.nowUs,
    content: '',
    toolCallId: call.id,
    name: call.name,
    toolType,
    arguments: args,
  };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

type Told = Pick<ToolResult, 'successful' | 'content' | 'httpStatus'>;

export function writeToolResult(step: Step, call: ResultLine['call'], result: Told): ResultLine {
  const line = { call, sequence: step.next('sequence'), startUs: step.nowUs };
  writeResultLine(step, line, result);
  const { id: toolCallId, name } = call;
  const told = { type: 'tool_called' as const, toolCallId, name, successful: result.successful, atUs: step.nowUs };
  step.order({ type: 'journal.write', entry: told });
  return line;
}

/** Also the one that stood there before becomes this. */
export function writeResultLine(step: Step, { call, sequence, startUs }: ResultLine, result: Told): void {
  const { successful, content, httpStatus } = result;
  const entry = {
    role: 'tool_response' as const,
    sequence,
    startUs,
    endUs: startUs,
    content,
    toolCallId: call.id,
    name: call.name,
    successful,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

export function writeTransition(step: Step, from: string, to: string, condition: string): void {
  const entry = {
    role: 'state_transition' as const,
    sequence: step.next('sequence'),
    startUs: step.nowUs,
    endUs: step.nowUs,
    content: '',
    from,
    to,
    condition,
  };
  step.order({ type: 'journal.write', entry: { type: 'transcript', entry } });
  step.order({ type: 'journal.write', entry: { type: 'state', from, to, atUs: step.nowUs } });
}

export function writeTransfer(
  step: Step,
  { destination, mode }: TransferOrder,
  phase: TransferEntry['phase'],
  reason?: string,
): void {
  const told = reason === undefined ? {} : { reason };
  step.order({
    type: 'journal.write',
    entry: { type: 'transfer', phase, destination, mode, ...told, atUs: step.nowUs },
  });
}

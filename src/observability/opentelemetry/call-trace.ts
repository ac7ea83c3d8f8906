import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan } from '../../../engine/timeline/call-span.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { TracedLeg } from '../traces/sip-traces.ts';
import { errorTypeOf, messagesAttribute, providerAttribute } from './gen-ai-attributes.ts';
import { type InviteExchange, inviteExchanges, inviteSpan } from './invite-spans.ts';
import { callTraceSpans, toolTraceSpans, type UnplacedSpan } from './request-trace-spans.ts';
import { idsOf, readTraceparent, spanIdBelow } from './trace-context.ts';
import type { TraceEvent, TraceSpan } from './trace-span.ts';
import { type TurnWindow, turnAt, turnAttributes, turnEvents, turnOf, turnWindows } from './turn-spans.ts';

/** Spans of one trace: a call of hours keeps its beginning, and one call cannot fill the queue of the exporter. */
export const TRACE_SPANS_MAX = 4_000;

/** An ended call as it is stored. Times are µs since 1970. */
export interface TraceInput {
  readonly call: CallRecord;
  readonly transcript: readonly TranscriptRecord[];
  readonly turns: readonly TurnRecord[];
  readonly spans: readonly CallSpan[];
  /** SIP messages of its legs, as far as this node has them. */
  readonly legs: readonly TracedLeg[];
}

export interface TraceOptions {
  /** Adds what was said and the arguments and results of tools. */
  readonly capturesContent: boolean;
}

/**
 * The trace of an ended call: the call, its INVITEs, the agent, its turns, and in each turn the requests to the providers, the tools
 * and the speech. Without content, no attribute holds a number, a text of the conversation or a prompt.
 */
export function callTrace(input: TraceInput, { capturesContent }: TraceOptions): readonly TraceSpan[] {
  const { call, legs, spans, transcript, turns } = input;
  const { spanId: callSpanId } = idsOf(call);
  const invites = inviteExchanges(legs);
  const placing = { callId: call.id, callSpanId };
  const windows = turnWindows(turns, spans);
  const hasContent = capturesContent && call.deletedMs === null;
  const unplaced = [...callTraceSpans(spans, placing), ...toolTraceSpans(transcript, placing, hasContent)].toSorted(
    (a, b) => a.fromUs - b.fromUs,
  );
  const agent = agentSpan(input, callSpanId);
  const agentSpanId = agent?.spanId ?? callSpanId;
  const spansOfTurn = Map.groupBy(unplaced, (span) => turnOf(windows, span));
  const saidInTurn = Map.groupBy(hasContent ? transcript : [], ({ startUs }) => turnAt(windows, startUs));
  const trace = [
    callSpan(call, callSpanId, invites),
    ...inviteSpans(call, callSpanId, invites),
    ...(agent === null ? [] : [agent]),
    ...(spansOfTurn.get(undefined) ?? []).map((span) => ({ ...span, parentId: agentSpanId })),
    ...windows.flatMap((window) => {
      const below = spansOfTurn.get(window) ?? [];
      const spanId = spanIdBelow(callSpanId, `turn ${window.record.turn}`);
      return [
        turnSpan(window, { spanId, parentId: agentSpanId }, below, saidInTurn.get(window) ?? []),
        ...below.map((span) => ({ ...span, parentId: spanId })),
      ];
    }),
  ];
  return trace.slice(0, TRACE_SPANS_MAX);
}

function callSpan(call: CallRecord, spanId: string, invites: readonly InviteExchange[]): TraceSpan {
  const { agentId, agentVersion, answerType, cost, direction, endReason, organizationId, status, type } = call;
  return {
    spanId,
    parentId: readTraceparent(call.traceparent)?.spanId ?? null,
    name: type === 'web_call' ? 'web call' : `${direction} call`,
    kind: direction === 'inbound' ? 'server' : 'internal',
    fromUs: Math.min(call.createdMs * 1000, ...invites.map(({ fromUs }) => fromUs)),
    toUs: (call.endMs ?? call.createdMs) * 1000,
    attributes: {
      'gen_ai.conversation.id': call.id,
      'trunkline.call.id': call.id,
      'trunkline.organization.id': organizationId,
      'trunkline.call.status': status,
      ...(endReason !== null && { 'trunkline.call.end_reason': endReason }),
      ...(answerType !== null && { 'trunkline.call.answer_type': answerType }),
      ...(agentId !== null && { 'gen_ai.agent.id': agentId, 'gen_ai.agent.version': String(agentVersion) }),
      'trunkline.call.cost': cost,
    },
    events: [],
    error: status === 'failed' ? (endReason ?? '_OTHER') : null,
  };
}

/** From the SIP messages; without them, from the row of the call. The INVITE of a staged call has no place in its row. */
function inviteSpans(call: CallRecord, callSpanId: string, invites: readonly InviteExchange[]): readonly TraceSpan[] {
  const idsAt = (index: number) => ({ parentId: callSpanId, spanId: spanIdBelow(callSpanId, `INVITE ${index}`) });
  if (invites.length > 0) return invites.map((invite, index) => inviteSpan(invite, idsAt(index)));
  const { createdMs, direction, endMs, stagingDeadlineMs, startMs, type } = call;
  if (type !== 'phone_call' || stagingDeadlineMs !== null) return [];
  const isInbound = direction === 'inbound';
  return [
    {
      ...idsAt(0),
      name: 'INVITE',
      kind: isInbound ? 'server' : 'client',
      fromUs: createdMs * 1000,
      toUs: (startMs ?? endMs ?? createdMs) * 1000,
      attributes: { 'network.protocol.name': 'sip', 'trunkline.leg': isInbound ? 'caller' : 'callee' },
      events: [],
      error: null,
    },
  ];
}

/** From the answer to the end; null if the call was not answered, or has no agent. */
function agentSpan({ call, spans, transcript }: TraceInput, callSpanId: string): TraceSpan | null {
  if (call.startMs === null || call.agentVersion === 0 || call.agentId === null) return null;
  return {
    spanId: spanIdBelow(callSpanId, 'agent'),
    parentId: callSpanId,
    name: 'invoke_agent',
    kind: 'internal',
    fromUs: call.startMs * 1000,
    toUs: (call.endMs ?? call.startMs) * 1000,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': call.id,
      'gen_ai.agent.id': call.agentId,
      'gen_ai.agent.version': String(call.agentVersion),
    },
    events: [...spans.flatMap(failureEvent), ...transcript.flatMap(transitionEvent)],
    error: null,
  };
}

function failureEvent(span: CallSpan): readonly TraceEvent[] {
  if (span.type !== 'provider_failure') return [];
  const { error, fromUs, kind, next, provider } = span;
  const attributes = {
    ...providerAttribute(provider),
    'trunkline.provider.kind': kind,
    'error.type': errorTypeOf(error),
    ...(next !== null && { 'trunkline.provider.next': next }),
  };
  return [{ name: 'provider failed', atUs: fromUs, attributes }];
}

function transitionEvent({ fields, role, startUs }: TranscriptRecord): readonly TraceEvent[] {
  const { to } = fields;
  if (role !== 'state_transition' || typeof to !== 'string') return [];
  return [{ name: 'state transition', atUs: startUs, attributes: { 'trunkline.state': to } }];
}

/** Ends with the last of its stages and of the spans below it. `said`: what was said in it, without content nothing. */
function turnSpan(
  { fromUs, record }: TurnWindow,
  ids: Pick<TraceSpan, 'spanId' | 'parentId'>,
  below: readonly UnplacedSpan[],
  said: readonly TranscriptRecord[],
): TraceSpan {
  const events = turnEvents(record);
  const saidBy = (wanted: TranscriptRecord['role']) => said.filter(({ role }) => role === wanted);
  return {
    ...ids,
    name: `turn ${record.turn}`,
    kind: 'internal',
    fromUs,
    toUs: Math.max(record.startUs, ...events.map(({ atUs }) => atUs), ...below.map(({ toUs }) => toUs)),
    attributes: {
      ...turnAttributes(record),
      ...messagesAttribute('gen_ai.input.messages', saidBy('user')),
      ...messagesAttribute('gen_ai.output.messages', saidBy('agent')),
    },
    events,
    error: null,
  };
}

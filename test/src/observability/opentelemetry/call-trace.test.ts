import { beforeEach, describe, expect, it } from 'vitest';
import type { CallSpan } from '../../../../engine/timeline/call-span.ts';
import { callTrace, TRACE_SPANS_MAX, type TraceInput } from '../../../../src/observability/opentelemetry/call-trace.ts';
import { idsOf, toolContext } from '../../../../src/observability/opentelemetry/trace-context.ts';
import type { TraceSpan } from '../../../../src/observability/opentelemetry/trace-span.ts';
import type { TracedLeg } from '../../../../src/observability/traces/sip-traces.ts';
import { createAgent, testApi } from '../../api/test-api.ts';
import { endTimelineCall, storeTimelineCall, TIMELINE_CALL_ID } from '../../api/timeline/timeline-call.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const WITHOUT_CONTENT = { capturesContent: false };
const WITH_CONTENT = { capturesContent: true };

const message = (at: number, direction: 'sent' | 'received', start: string): TracedLeg['entries'][number] => ({
  at,
  direction,
  transport: 'udp',
  remote: '198.51.100.9:5060',
  bytes: Buffer.from(`${start}\r\nFrom: <sip:+4915112345678@198.51.100.9>\r\nCSeq: 1 INVITE\r\n\r\n`),
});

/** The example call of the timeline: a greeting that is interrupted, and a turn with a slow model, a filler and a tool. */
async function exampleCall(): Promise<TraceInput> {
  const api = await testApi();
  await storeTimelineCall(api.repositories, await createAgent(api));
  await endTimelineCall(api.repositories);
  const { calls, journal } = api.repositories;
  const call = await calls.find(TIMELINE_CALL_ID);
  if (call === null) throw new Error('the call is not stored');
  return {
    call: { ...call, traceparent: PARENT },
    transcript: await journal.transcript(call.id),
    turns: await journal.turns(call.id),
    spans: await journal.spans(call.id),
    legs: [],
  };
}

let stored: TraceInput | undefined;
let input: TraceInput;

beforeEach(async () => {
  stored ??= await exampleCall();
  input = stored;
});

const named = (trace: readonly TraceSpan[], name: string): TraceSpan => {
  const span = trace.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name} in ${trace.map((one) => one.name).join(', ')}`);
  return span;
};

describe('the trace of a call', () => {
  it('has the call below its parent, the agent below the call, the turn below the agent, and its requests below the turn', () => {
    const trace = callTrace(input, WITHOUT_CONTENT);
    const call = named(trace, 'inbound call');
    const agent = named(trace, 'invoke_agent');
    const turn = named(trace, 'turn 2');
    expect(call).toMatchObject({ parentId: '00f067aa0ba902b7', kind: 'server', spanId: idsOf(input.call).spanId });
    expect(agent).toMatchObject({ parentId: call.spanId, fromUs: (input.call.startMs ?? 0) * 1000 });
    expect(named(trace, 'INVITE').parentId).toBe(call.spanId);
    expect(turn.parentId).toBe(agent.spanId);
    for (const name of ['chat', 'execute_tool find_table', 'user speech']) {
      expect(named(trace, name), name).toMatchObject({ parentId: turn.spanId });
    }
    // The greeting belongs to no turn.
    expect(named(trace, 'agent speech').parentId).toBe(agent.spanId);
    expect(new Set(trace.map(({ spanId }) => spanId)).size).toBe(trace.length);
  });

  it('has a turn that begins with the words of the user and holds the spans below it', () => {
    const trace = callTrace(input, WITHOUT_CONTENT);
    const turn = named(trace, 'turn 2');
    expect(turn.fromUs).toBe(named(trace, 'user speech').fromUs);
    for (const span of trace.filter(({ parentId }) => parentId === turn.spanId)) {
      expect(span.fromUs).toBeGreaterThanOrEqual(turn.fromUs);
      expect(span.toUs).toBeLessThanOrEqual(turn.toUs);
    }
    expect(turn.attributes).toMatchObject({ 'trunkline.turn.ended_by': 'pause', 'trunkline.turn.response_ms': 2_600 });
    expect(turn.events.map(({ name }) => name)).toEqual([
      'user speech ended',
      'turn ended',
      'first token',
      'turn committed',
      'answer heard',
    ]);
  });

  it('has the speech of a reply below its own turn, also if the user speaks again before it', () => {
    const [turn] = input.turns;
    if (turn === undefined) throw new Error('the call has no turn');
    const nextUs = turn.startUs + 20_000_000;
    const next = { ...turn, turn: 3, startUs: nextUs, askedMs: [], heardMs: 900, answerHeardMs: 900, tools: [] };
    const speech = [nextUs - 1_000_000, nextUs + 900_000].map((fromUs) => {
      return { type: 'agent_speech', fromUs, toUs: fromUs + 500_000 } as const;
    });
    const user = { type: 'voice_activity', fromUs: nextUs - 2_000_000, toUs: nextUs } as const;
    const trace = callTrace({ ...input, turns: [turn, next], spans: [user, ...speech] }, WITHOUT_CONTENT);
    const parents = trace.filter(({ name }) => name === 'agent speech').map(({ parentId }) => parentId);
    expect(parents).toEqual([named(trace, 'turn 2').spanId, named(trace, 'turn 3').spanId]);
  });

  it('names the tool call as its request did', () => {
    const tool = named(callTrace(input, WITHOUT_CONTENT), 'execute_tool find_table');
    const context = { ...idsOf(input.call), isSampled: true };
    expect(tool.spanId).toBe(toolContext(context, 'call_1').spanId);
    expect(tool).toMatchObject({
      error: null,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'http.response.status_code': 200 },
    });
  });

  it('has provider, model, tokens and the first token of a generation, and the type of its failure', () => {
    const request = { type: 'model', fromUs: 1e6, toUs: 3e6, firstTokenUs: 1.5e6, firstTextUs: null } as const;
    const model = { ...request, provider: 'mistral', model: 'small', usage: { inputTokens: 12, outputTokens: 3 } };
    const spans: CallSpan[] = [
      { ...model, outcome: 'answered', error: null },
      { ...model, outcome: 'failed', error: 'mistral rate_limited (429): too many requests of +4915112345678' },
    ];
    const [answered, failed] = callTrace({ ...input, spans }, WITHOUT_CONTENT).filter(
      ({ name }) => name === 'chat small',
    );
    expect(answered).toMatchObject({
      kind: 'client',
      error: null,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'mistral_ai',
        'gen_ai.request.model': 'small',
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 3,
        'gen_ai.response.time_to_first_chunk': 0.5,
        'gen_ai.conversation.id': TIMELINE_CALL_ID,
      },
    });
    expect(failed?.error).toBe('429');
  });

  it('has an INVITE for each leg, with the status that ended it, and not the challenge before', () => {
    const atMs = input.call.createdMs - 200;
    const caller = [message(atMs, 'received', 'INVITE sip:x SIP/2.0'), message(atMs + 180, 'sent', 'SIP/2.0 200 OK')];
    const callee = [
      message(atMs, 'sent', 'INVITE sip:+493012345678@trunk SIP/2.0'),
      message(atMs + 20, 'received', 'SIP/2.0 407 Proxy Authentication Required'),
      message(atMs + 30, 'sent', 'INVITE sip:+493012345678@trunk SIP/2.0'),
      message(atMs + 900, 'received', 'SIP/2.0 486 Busy Here'),
    ];
    const legs = [
      { name: 'caller', sipCallId: 'a', entries: caller },
      { name: 'bridge', sipCallId: 'b', entries: callee },
      { name: 'bridge 2', sipCallId: 'c', entries: [] },
    ];
    const trace = callTrace({ ...input, legs }, WITHOUT_CONTENT);
    const [inbound, outbound, ...more] = trace.filter(({ name }) => name === 'INVITE');
    expect(more).toEqual([]);
    expect(inbound).toMatchObject({ kind: 'server', fromUs: atMs * 1000, toUs: (atMs + 180) * 1000, error: null });
    expect(outbound).toMatchObject({ kind: 'client', toUs: (atMs + 900) * 1000, error: '486' });
    expect(named(trace, 'inbound call').fromUs).toBe(atMs * 1000);
  });

  it('holds no number, no word and no argument without content, and what was said with it', () => {
    const legs = [
      { name: 'caller', sipCallId: '4915112345678', entries: [message(0, 'received', 'INVITE sip:+4930 SIP/2.0')] },
    ];
    const said = [
      'A table for four.',
      'Hello, how can',
      '{"free":true}',
      '{"guests":4}',
      '+4915112345678',
      '+493012345678',
    ];
    const without = JSON.stringify(callTrace({ ...input, legs }, WITHOUT_CONTENT));
    for (const text of [...said, '4915112345678', 'Ada', '+4930555000', 'A table is free.', 'HTTP 503']) {
      expect(without).not.toContain(JSON.stringify(text).slice(1, -1));
    }
    const content = callTrace({ ...input, legs }, WITH_CONTENT);
    expect(JSON.stringify(content)).toContain('A table for four.');
    expect(named(content, 'execute_tool find_table').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"guests":4}',
      'gen_ai.tool.call.result': '{"free":true}',
    });
  });

  it('holds no content of a call whose content was deleted', () => {
    const deleted = { ...input, call: { ...input.call, deletedMs: 1 } };
    expect(callTrace(deleted, WITH_CONTENT)).toEqual(callTrace(deleted, WITHOUT_CONTENT));
  });

  it('of a call without an answer has neither agent nor turns, and says how it ended', () => {
    const call = { ...input.call, startMs: null, status: 'failed', endReason: 'media_error' } as const;
    const trace = callTrace({ ...input, call, spans: [], turns: [], transcript: [] }, WITHOUT_CONTENT);
    expect(trace.map(({ name }) => name)).toEqual(['inbound call', 'INVITE']);
    expect(trace[0]).toMatchObject({ error: 'media_error' });
  });

  it('is bounded', () => {
    const sound = { type: 'agent_speech', fromUs: 1, toUs: 2 } as const;
    const trace = callTrace({ ...input, spans: Array.from({ length: 10_000 }, () => sound) }, WITHOUT_CONTENT);
    expect(trace).toHaveLength(TRACE_SPANS_MAX);
  });
});

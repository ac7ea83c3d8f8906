import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readTraceparent } from '../../../src/observability/opentelemetry/trace-context.ts';
import { call } from '../../caller/caller.ts';
import { type Collector, startCollector } from '../../otlp/collector.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
const QUESTION = 'Do you have a table for four tonight?';
const ANSWER = 'Yes, at eight.';
const SPEECH_MS = 2_600;

let collector: Collector;
let providers: EmulatedProviders;
let test: TestService;
/** Headers of the requests of tools and webhooks, by path. */
const asked = new Map<string, IncomingHttpHeaders>();
const server = createServer((request, response) => {
  asked.set(request.url ?? '', request.headers);
  request.resume().on('end', () => response.end('{"free":true}'));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector = await startCollector();
  const tool = toolCallsAnswer([{ id: 'call_1', name: 'find_table', arguments: '{}' }]);
  providers = await startEmulatedProviders({
    listen: { steps: heardLine(QUESTION, 1_200, SPEECH_MS) },
    chat: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? textAnswer(ANSWER) : tool),
  });
  test = await startTestService({
    ...providers.environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_METRICS_EXPORTER: 'otlp',
  });
});
afterAll(async () => {
  await test?.close();
  await providers?.close();
  await collector?.close();
  server?.close();
});

/** Stages a call with `traceparent`, and dials in. */
async function dial(agentId: string, hangUp: Promise<unknown>) {
  const staged = await fetch(`${test.service.httpUrl}/v1/calls/stage?sync=true`, {
    method: 'POST',
    headers: {
      'x-api-key': TEST_API_KEY,
      'content-type': 'application/json',
      traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01`,
    },
    body: JSON.stringify({ from_number: FROM, to_number: TO, agent_id: agentId }),
  });
  const { data } = z.object({ data: z.object({ call_id: z.string() }) }).parse(await staged.json());
  const report = call({
    target: { host: '127.0.0.1', port: test.sipPort },
    to: TO,
    from: FROM,
    headers: { 'X-Service-Call-Id': data.call_id },
    audio: makeTone(440, SPEECH_MS),
    pace: 'peer',
    durationMsMax: 60_000,
    hangUp: { at: hangUp },
  });
  return { callId: data.call_id, report };
}

it('a call continues the trace of its request, and its tools and webhooks continue the trace of the call', async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tool = { type: 'custom_function', name: 'find_table', description: 'Finds a table.', url: `${origin}/tool` };
  const { id } = await test.api.createAgent(
    talker({
      // The user speaks first: the answer belongs to their turn also on a late machine.
      initial_message: '',
      states: [{ name: 'talk', prompt: 'Find a table.', tools: [tool] }],
      webhook_url: `${origin}/webhook`,
      webhook_subscriptions: ['event_call_ended'],
    }),
  );
  const answered = Promise.withResolvers<void>();
  const { callId, report } = await dial(id, answered.promise);
  await eventually(async () => {
    const { transcript } = await test.api.call(callId);
    expect(transcript).toEqual(
      expect.arrayContaining([expect.objectContaining({ content: ANSWER, end_time: expect.any(String) })]),
    );
  });
  answered.resolve();
  await report;
  await eventually(() => expect(asked.has('/webhook')).toBe(true));
  await test.service.stop(0);

  const { metrics, spans } = collector;
  // Sent by the stop: the test is shorter than the interval of the metrics.
  expect(metrics.find(({ name }) => name === 'trunkline_calls_created_total')?.points).toMatchObject([{ value: 1 }]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([PARENT.traceId]));
  const named = (name: string) => spans.find((span) => span.name === name);
  const parents = (name: string): string[] => {
    const span = named(name);
    const parent = spans.find(({ spanId }) => spanId === span?.parentId);
    return parent === undefined ? [name] : [name, ...parents(parent.name)];
  };
  expect(named('inbound call')).toMatchObject({ parentId: PARENT.spanId, attributes: { 'trunkline.call.id': callId } });
  expect(parents('INVITE')).toEqual(['INVITE', 'inbound call']);
  expect(named('INVITE')?.attributes).toMatchObject({ 'trunkline.sip.status_code': 200, 'trunkline.leg': 'caller' });
  // A pause of a late machine may end the turn twice: the answer belongs to one of them.
  const turns = spans.filter(({ attributes }) => 'trunkline.turn.ended_by' in attributes).map(({ spanId }) => spanId);
  for (const name of ['execute_tool find_table', 'synthesize']) {
    expect(parents(name).slice(-3), name).toEqual([expect.stringMatching(/^turn /), 'invoke_agent', 'inbound call']);
  }
  const chats = spans.filter(({ name }) => name.startsWith('chat '));
  expect(chats.map(({ attributes }) => attributes)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ 'gen_ai.provider.name': 'openai', 'gen_ai.usage.input_tokens': 20 }),
    ]),
  );
  expect(chats.some(({ parentId }) => turns.includes(parentId))).toBe(true);

  const spanOf = (path: string) => readTraceparent(asked.get(path)?.traceparent);
  expect(spanOf('/tool')).toEqual({ ...PARENT, spanId: named('execute_tool find_table')?.spanId });
  expect(spanOf('/webhook')).toEqual({ ...PARENT, spanId: named('webhook event_call_ended')?.spanId });
  expect(parents('webhook event_call_ended')).toEqual(['webhook event_call_ended', 'inbound call']);

  const sent = JSON.stringify(spans);
  for (const secret of [FROM.slice(1), TO.slice(1), QUESTION, ANSWER, 'Find a table.']) {
    expect(sent).not.toContain(secret);
  }
});

import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type LookupQuestion, lookupQuestionSchema } from '../../../src/calls/lookup/lookup-question.ts';
import { type CallOptions, call } from '../../caller/caller.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const withId = z.looseObject({ id: z.string() });
const withSecret = z.object({ secret: z.string() });
const refusals = z.array(z.looseObject({ cause: z.string(), status: z.number() }));

/** The receiver does not answer, so that the lookup times out. */
const NEVER = null;
const UNKNOWN_AGENT = '00000000-0000-4000-8000-00000000000f';
const TOKEN = 'token-of-the-receiver';

describe('a call to a number with a lookup webhook', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let receiver: LoopbackServer;
  let numberPath = '';
  let agentId = '';
  let otherAgentId = '';
  let secret = '';
  /** Verified questions. */
  let questions: LookupQuestion[] = [];
  let answer: (response: ServerResponse) => void = () => {};
  /** Called once a question has arrived. */
  let onQuestion = (): void => {};

  const respond = (body: unknown, status = 200) => {
    answer = (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    test = await startTestService(providers.environment);
    receiver = await LoopbackServer.listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = Object.fromEntries(Object.entries(request.headers).map(([name, of]) => [name, String(of)]));
        const body = Buffer.concat(chunks).toString('utf8');
        questions.push(lookupQuestionSchema.parse(new Webhook(secret).verify(body, headers)));
        onQuestion();
        answer(response);
      });
    });
    agentId = (await test.api.createAgent(talker({ initial_message: 'Own agent.', record_tape: true }))).id;
    const other = talker({
      initial_message: 'Hello {{customer_name}}.',
      variables: [{ name: 'seats', type: 'integer' }],
    });
    otherAgentId = (await test.api.createAgent(other)).id;
    secret = (await test.api.requestOk(withSecret, 'POST', `/v1/agents/${agentId}/webhook-secret`)).secret;
    const number = {
      number: TO,
      inbound_agent_id: agentId,
      sip_header_variables: [
        { header: 'X-Customer', variable: 'customer_id' },
        { header: 'User-to-User', variable: 'customer_name' },
        { header: 'X-Missing', variable: 'missing' },
      ],
    };
    numberPath = `/v1/phone-numbers/${(await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', number)).id}`;
  });

  beforeEach(async () => {
    questions = [];
    onQuestion = () => {};
    respond({});
    await lookAt(`${receiver.origin}/lookup?token=${TOKEN}`);
  });

  afterAll(async () => {
    await test?.close();
    await receiver?.close();
    await providers?.close();
  });

  const lookAt = (lookup_webhook_url: string | null) =>
    test.api.requestOk(withId, 'PATCH', numberPath, { lookup_webhook_url });
  const dial = (more: Partial<CallOptions> = {}) =>
    call({
      target: { host: '127.0.0.1', port: test.sipPort },
      to: TO,
      from: FROM,
      headers: { 'X-Customer': '4711', 'User-to-User': '416461;encoding=hex', 'X-Other': 'unlisted' },
      hangUp: { afterMs: 300 },
      durationMsMax: 20_000,
      ...more,
    });
  const lastCall = async () => {
    const [last] = await test.api.requestOk(z.array(withId), 'GET', '/v1/calls?limit=1');
    return test.api.call(last?.id ?? '');
  };
  const endedCall = async () => test.api.callIn((await lastCall()).id, ['completed', 'canceled']);
  const lines = (event: string) =>
    test
      .log()
      .split('\n')
      .filter((line) => line.includes(`"${event}"`))
      .map((line) => JSON.parse(line));
  const failures = () => lines('caller lookup failed');

  it('gets the agent, variables and overrides of the answer, and the log holds no secret of the URL', async () => {
    respond({
      agent_id: otherAgentId,
      dynamic_variables_values: { customer_name: 'Grace', seats: '4' },
      agent_overrides: { initial_message: 'Welcome back, {{customer_name}}.' },
    });
    const greeted = eventually(async () => {
      const [greeting] = (await lastCall()).transcript ?? [];
      expect(greeting).toMatchObject({ content: 'Welcome back, Grace.', end_time: expect.any(String) });
    });
    const { statuses } = await dial({ hangUp: { at: greeted } });
    expect(statuses).toEqual([100, 180, 200]);
    const ended = await endedCall();
    expect(ended).toMatchObject({
      id: questions[0]?.call_id,
      agent_id: otherAgentId,
      agent_overrides: { initial_message: 'Welcome back, {{customer_name}}.' },
    });
    expect(ended.transcript?.[0]?.content).toBe('Welcome back, Grace.');
    const values = Object.fromEntries((ended.variable_values ?? []).map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ customer_id: '4711', customer_name: 'Grace', seats: 4 });
    expect(questions).toMatchObject([
      {
        type: 'inbound_call_lookup',
        agent_id: agentId,
        data: {
          from_number: FROM,
          to_number: TO,
          sip_headers: { 'X-Customer': '4711', 'User-to-User': '416461;encoding=hex' },
        },
      },
    ]);
    expect(Object.keys(questions[0]?.data.sip_headers ?? {})).toEqual(['X-Customer', 'User-to-User']);
    expect(test.log()).not.toContain(TOKEN);
  });

  it('without a webhook gets the headers of the INVITE as variables', async () => {
    await lookAt(null);
    await dial();
    const ended = await endedCall();
    const values = Object.fromEntries((ended.variable_values ?? []).map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ customer_id: '4711', customer_name: 'Ada' });
    expect(Object.keys(values)).not.toContain('missing');
    expect([ended.agent_id, questions]).toEqual([agentId, []]);
  });

  it('from a withheld number asks with from_number null', async () => {
    await dial({
      from: 'anonymous',
      headers: { 'P-Asserted-Identity': `<sip:${FROM}@carrier.example>`, Privacy: 'id' },
    });
    expect(questions[0]?.data.from_number).toBeNull();
    expect(JSON.stringify(questions)).not.toContain(FROM.slice(1));
    expect(await endedCall()).toMatchObject({ agent_id: agentId, from_number: null });
  });

  it('is refused with the status of the answer, without a record', async () => {
    await dial();
    const before = (await endedCall()).id;
    respond({ refuse: { sip_status: 603 } });
    const { statuses } = await dial();
    expect(statuses).toEqual([100, 603]);
    expect((await lastCall()).id).toBe(before);
    const [refusal] = await test.api.requestOk(refusals, 'GET', '/v1/sip/refusals');
    expect(refusal).toMatchObject({ cause: 'lookup_refused', status: 603 });
  });

  it.each<[string, { readonly body?: object; readonly status?: number } | null, string]>([
    ['is too late', NEVER, 'no '],
    ['is status 500', { status: 500 }, 'the webhook answered with status 500'],
    ['is a redirect', { status: 307 }, 'the webhook answered with status 307'],
    ['has an unknown field', { body: { agent: 'x' } }, 'agent: Unknown field'],
    ['refuses with 200', { body: { refuse: { sip_status: 200 } } }, 'refuse.sip_status: '],
    ['names no agent of ours', { body: { agent_id: UNKNOWN_AGENT } }, 'agent_id: expected an agent'],
    [
      'overrides wrongly',
      { body: { agent_overrides: { max_call_duration: 1 } } },
      'agent_overrides.max_call_duration: ',
    ],
  ])('gets the agent of the number if the answer %s', async (_case, given, reason) => {
    if (given === NEVER) answer = () => {};
    else respond(given.body ?? {}, given.status);
    const known = failures().length;
    const { ringingMs, statuses } = await dial();
    expect(statuses).toEqual([100, 180, 200]);
    if (given === NEVER) expect(ringingMs).toBeGreaterThan(1_900);
    expect(await endedCall()).toMatchObject({ id: questions[0]?.call_id, agent_id: agentId, agent_overrides: null });
    expect(failures().slice(known)).toMatchObject([
      { call_id: questions[0]?.call_id, reason: expect.stringContaining(reason) },
    ]);
  });

  it('gets the agent of the number if the answer is not JSON', async () => {
    answer = (response) => response.end('<html>');
    const known = failures().length;
    await dial();
    expect(await endedCall()).toMatchObject({ agent_id: agentId });
    expect(failures().slice(known)).toMatchObject([{ reason: 'the answer is not JSON' }]);
  });

  it.each([
    ['a private address', 'http://10.0.0.1/lookup', 'is refused'],
    ['a metadata address', 'http://169.254.169.254/latest', 'is refused'],
    ['the API of the service itself', () => `${test.service.httpUrl}/healthz`, 'the service itself listens there'],
    ['a closed port', 'http://127.0.0.1:9/', 'could not be reached'],
  ])('gets the agent of the number if the webhook is at %s', async (_what, url, reason) => {
    await lookAt(typeof url === 'string' ? url : url());
    const known = failures().length;
    const { statuses } = await dial();
    expect(statuses).toEqual([100, 180, 200]);
    expect(await endedCall()).toMatchObject({ agent_id: agentId });
    expect(failures().slice(known)).toMatchObject([{ reason: expect.stringContaining(reason) }]);
  });

  it('ends as canceled if the caller cancels during the lookup, and is not answered later', async () => {
    answer = () => {};
    const known = failures().length;
    const { statuses, endedBy } = await dial({ cancelAfterMs: 500 });
    expect(statuses).toEqual([100, 487]);
    expect(endedBy).not.toBe('timeout');
    // The call counts until the webhook has answered or the lookup has timed out.
    await eventually(async () => {
      expect(await endedCall()).toMatchObject({ id: questions[0]?.call_id, status: 'canceled', start_time: null });
    });
    expect(failures().length).toBe(known);
  });

  it('asks no webhook if its offer is not acceptable', async () => {
    const trunk = { name: 'Opus only', termination_uri: '127.0.0.1', codecs: ['opus'] };
    const { id } = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', trunk);
    const { statuses } = await dial();
    await test.api.send('DELETE', `/v1/sip-trunks/${id}`);
    expect(statuses).toEqual([100, 488]);
    expect(questions).toEqual([]);
  });
});

describe('a drain during a lookup', () => {
  it('refuses the caller with 503, and does not wait for the webhook', async () => {
    const providers = await startEmulatedProviders();
    const test = await startTestService(providers.environment);
    let stopped: Promise<void> = Promise.resolve();
    const receiver = await LoopbackServer.listen((request, response) => {
      request.resume();
      stopped = test.close();
      setImmediate(() => response.writeHead(204).end());
    });
    const { id } = await test.api.createAgent(talker());
    await test.api.requestOk(withSecret, 'POST', `/v1/agents/${id}/webhook-secret`);
    const number = { number: TO, inbound_agent_id: id, lookup_webhook_url: `${receiver.origin}/` };
    await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', number);
    const target = { host: '127.0.0.1', port: test.sipPort };
    const { statuses } = await call({ target, to: TO, from: FROM, durationMsMax: 10_000 });
    expect(statuses).toEqual([100, 503]);
    await stopped;
    await receiver.close();
    await providers.close();
  });
});

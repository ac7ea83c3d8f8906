import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ADMIN_KEY, createAgent, MINIMAL_AGENT, testApi } from './test-api.ts';

/** Higher than these tests can reach. */
const RATE_LIMITS = { perMinute: 1_000_000, perHour: 1_000_000 };
const POSTS = ['/v1/agents', '/v1/calls/stage', '/v1/calls/phone', '/v1/phone-numbers', '/v1/sip-trunks'];
const AGENT_FIELDS = Object.keys(MINIMAL_AGENT).concat(
  ['voice', 'llm', 'transcriber', 'transcriber_configuration', 'variables', 'fallbacks', 'dtmf', 'webhook_url'],
  ['webhook_subscriptions', 'pronunciations', 'on_provider_failure', 'language', 'base_prompt', 'version', 'warnings'],
);

it('no JSON body causes a 500, and every refusal is an envelope', async () => {
  const api = await testApi({ rateLimits: RATE_LIMITS });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...POSTS), fc.jsonValue(), async (url, payload) => {
      const { status, body } = await api.ask('POST', url, payload);
      expect([400, 422]).toContain(status);
      expect(body).toMatchObject({ data: null, status, error: { status, message: expect.any(String) } });
    }),
    { numRuns: 150 },
  );
});

it('any value in a field of an agent is stored unchanged or refused', async () => {
  const api = await testApi({ rateLimits: RATE_LIMITS });
  const change = fc.record({ field: fc.constantFrom(...AGENT_FIELDS), value: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(change, async ({ field, value }) => {
      const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, [field]: value });
      expect([201, 400, 422]).toContain(status);
      if (status !== 201) return;
      expect((await api.ask('GET', `/v1/agents/${body.data.id}`)).status).toBe(200);
    }),
    { numRuns: 150 },
  );
});

it('a body that is nested too deeply is 422 with details', async () => {
  const api = await testApi();
  const deep = '['.repeat(65) + ']'.repeat(65);
  const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, variables: JSON.parse(deep) });
  expect(status).toBe(422);
  expect(body.error.details).toEqual([{ field: null, message: 'nested deeper than 64 levels' }]);
});

it('a body of more values than any agent has is 422 before a schema judges each of them', async () => {
  const api = await testApi();
  const parameters = Array.from({ length: 100 }, () => ({}));
  const tools = Array.from({ length: 50 }, () => ({ type: 'custom_function', name: 'find', parameters }));
  const states = Array.from({ length: 50 }, () => ({ name: 'start', tools }));
  const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, states });
  expect(status).toBe(422);
  expect(body.error.details).toEqual([{ field: null, message: 'more than 50,000 values' }]);
});

it('names and prompts of states are returned unchanged', async () => {
  const api = await testApi({ rateLimits: RATE_LIMITS });
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }).filter((value) => !/\{\{|\0/.test(value));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 5 }), async (names) => {
      const states = names.map((name) => ({ name, prompt: name }));
      const id = await createAgent(api, { states, initial_state_name: names[0] });
      const { body } = await api.ask('GET', `/v1/agents/${id}`);
      expect(body.data.states.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(body.data.states.map(({ prompt }: { prompt: string }) => prompt)).toEqual(names);
    }),
    { numRuns: 50 },
  );
});

it('no query and no path causes a 500', async () => {
  const api = await testApi({ rateLimits: RATE_LIMITS });
  const path = fc.constantFrom(
    '/v1/phone-numbers',
    '/v1/sip-trunks',
    '/v1/agents/x',
    '/v1/calls/x',
    '/v1/calls/x/recording',
  );
  const name = fc.constantFrom(
    'page',
    'limit',
    'cursor',
    'use_cursor',
    'version',
    'token',
    'expires',
    '__proto__',
    'x',
  );
  const query = fc.array(fc.tuple(name, fc.string()), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(path, query, fc.string(), async (prefix, pairs, tail) => {
      const url = `${prefix}${encodeURIComponent(tail)}?${new URLSearchParams(pairs)}`;
      const response = await api.app.inject({ method: 'GET', url, headers: { 'x-api-key': ADMIN_KEY } });
      expect([200, 400, 404, 414, 422]).toContain(response.statusCode);
    }),
    { numRuns: 150 },
  );
});

it.each([
  ['U+0000', 'a\u0000b'],
  ['a lone surrogate', 'a\ud800b'],
])('text with %s is 422 and names the field', async (_, text) => {
  const api = await testApi();
  const state = MINIMAL_AGENT.states[0];
  const bodies = [
    [{ name: text }, 'name'],
    [{ states: [{ ...state, prompt: text }] }, 'states[0].prompt'],
    [{ [text]: 1 }, text],
  ] as const;
  for (const [change, field] of bodies) {
    const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...change });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  }
});

import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { loadConfiguration } from '../../../../src/configuration/configuration.ts';
import { createAgent, MINIMAL_AGENT, OTHER_KEY, sharedApi, testApi } from '../test-api.ts';

const shared = sharedApi();

const FUNCTION = {
  type: 'custom_function',
  name: 'look_up',
  url: 'https://crm.example.com/customers/{{customer}}',
  headers: [
    { name: 'Authorization', value: 'Bearer top-secret', secret: true },
    { name: 'X-Plain', value: 'seen' },
  ],
};

function withTools(...tools: unknown[]) {
  return { states: [{ name: 'greeting', tools }] };
}

it('a minimal agent gets all defaults, and responses contain both names of the transcriber', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  const { status, body } = await api.ask('GET', `/v1/agents/${id}`);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    id,
    name: 'Front desk',
    version: 1,
    language: 'en',
    initial_message: '',
    initial_message_delay: 0,
    max_call_duration: 1_800,
    presence_check_idle_threshold: 10,
    interruptions: true,
    interruptions_sensitivity: 'medium',
    voice: { provider: 'deepgram', name: 'aura-2-thalia-en', speed: 1 },
    llm: { provider: 'openai', model: 'gpt-4.1-mini' },
    transcriber: { provider: 'deepgram', model: 'nova-3' },
    transcriber_configuration: { provider: 'deepgram', model: 'nova-3' },
    webhook_url: null,
    webhook_subscriptions: ['event_variable_value_updated', 'event_all_variables_resolved'],
    secure_recording_urls: false,
    created_at: '2026-01-01T00:00:00.000Z',
  });
  expect(body.data.variables.map(({ name }: { name: string }) => name)).toEqual([
    'from_number',
    'to_number',
    'call_start_time',
    'call_id',
  ]);
});

it('a response can be sent as a request: read-only fields and built-in variables are ignored', async () => {
  const api = await testApi();
  const id = await createAgent(api, {
    variables: [{ name: 'customer', type: 'integer' }],
    transcriber_configuration: { provider: 'tape' },
    webhook_url: 'https://receiver.example.com/hook',
  });
  const first = await api.ask('GET', `/v1/agents/${id}`);
  const again = await api.ask('POST', '/v1/agents', first.body.data);
  expect(again.status).toBe(201);
  expect(again.body.data.id).not.toBe(id);
  const second = await api.ask('GET', `/v1/agents/${again.body.data.id}`);
  const { id: _id, ...fields } = first.body.data;
  expect(second.body.data).toEqual({ ...fields, id: again.body.data.id });
  expect(second.body.data.transcriber).toEqual({ provider: 'tape' });
});

it('state names such as __proto__, a.b, #x, a backtick and an emoji are kept unchanged', async () => {
  const api = await testApi();
  const names = ['__proto__', 'a.b', '#x', '`', '🙂', 'constructor'];
  const id = await createAgent(api, { states: names.map((name) => ({ name })), initial_state_name: '__proto__' });
  const { body } = await api.ask('GET', `/v1/agents/${id}`);
  expect(body.data.states.map(({ name }: { name: string }) => name)).toEqual(names);
  expect(body.data.initial_state_name).toBe('__proto__');
});

it.each([
  ['no name', { name: undefined }, 'name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
  ['no states', { states: [] }, 'states'],
  ['no initial state', { initial_state_name: undefined }, 'initial_state_name'],
  ['a delay that is too long', { initial_message_delay: 51 }, 'initial_message_delay'],
  ['a delay of a fraction of a second', { initial_message_delay: 0.5 }, 'initial_message_delay'],
  ['an idle threshold with a fraction', { presence_check_idle_threshold: 3.5 }, 'presence_check_idle_threshold'],
  ['an invalid language', { language: 'english please' }, 'language'],
  ['a language that does not exist', { language: 'xx-GB' }, 'language'],
  ['an unknown field', { colour: 'red' }, 'colour'],
  ['an unknown field deep inside', { states: [{ name: 'a', tols: [] }] }, 'states[0].tols'],
  ['a tool of an unknown type', withTools({ type: 'teleport', name: 'x' }), 'states[0].tools[0].type'],
  [
    'a parameter whose value has an unknown source',
    withTools({ ...FUNCTION, parameters: [{ name: 'p', value: { source: 'moon' } }] }),
    'states[0].tools[0].parameters[0].value.source',
  ],
  ['an unknown voice provider', { voice: { provider: 'nobody', name: 'x' } }, 'voice.provider'],
  [
    'an unknown llm provider of a state',
    { states: [{ name: 'a', llm: { provider: 'x', model: 'm' } }] },
    'states[0].llm.provider',
  ],
  [
    'an unknown fallback provider',
    { fallbacks: { transcriber: [{ provider: 'deepgram' }, { provider: 'x' }] } },
    'fallbacks.transcriber[1].provider',
  ],
  [
    'two different transcribers',
    { transcriber: { provider: 'deepgram' }, transcriber_configuration: { provider: 'tape' } },
    'transcriber_configuration',
  ],
  ['a webhook URL that is not HTTP', { webhook_url: 'ftp://x.example' }, 'webhook_url'],
  ['a webhook URL with credentials', { webhook_url: 'https://user:password@x.example' }, 'webhook_url'],
  [
    'a function’s URL with credentials',
    withTools({ ...FUNCTION, url: 'https://user@x.example/{{customer}}' }),
    'states[0].tools[0].url',
  ],
  ['an unknown event kind', { webhook_subscriptions: ['event_moon_phase'] }, 'webhook_subscriptions[0]'],
  [
    'a secret that is only its mask',
    withTools({ ...FUNCTION, headers: [{ name: 'A', value: '***', secret: true }] }),
    'states[0].tools[0].headers[0].value',
  ],
  [
    'a function’s header with a line break',
    withTools({ ...FUNCTION, headers: [{ name: 'X-Plain', value: 'one\r\nX-Two: two' }] }),
    'states[0].tools[0].headers[0].value',
  ],
  [
    'a secret header with a line break',
    withTools({ ...FUNCTION, headers: [{ name: 'Authorization', value: 'Bearer secret\n', secret: true }] }),
    'states[0].tools[0].headers[0].value',
  ],
  [
    'a transfer that sets a header of the dialog',
    withTools({ type: 'transfer_call', name: 'x', destination: '+4930123456', headers: { Via: '{{customer}}' } }),
    'states[0].tools[0].headers.Via',
  ],
  [
    'a transfer with an invalid From header',
    withTools({ type: 'transfer_call', name: 'x', destination: '+4930123456', headers: { From: 'a b' } }),
    'states[0].tools[0].headers.From',
  ],
  [
    'a name with two types',
    { variables: [{ name: 'a' }], states: [{ name: 's', variables: [{ name: 'b' }, { name: 'a', type: 'integer' }] }] },
    'states[0].variables[1].type',
  ],
  [
    'a built-in variable with another type, before others',
    { variables: [{ name: 'call_id', type: 'integer' }, { name: 'a' }] },
    'variables[0].type',
  ],
  [
    'a built-in variable of a state with another type',
    { states: [{ name: 's', variables: [{ name: 'call_start_time', type: 'string' }] }] },
    'states[0].variables[0].type',
  ],
  [
    'an unknown provider under the newer name of the transcriber',
    { transcriber_configuration: { provider: 'x' } },
    'transcriber_configuration.provider',
  ],
  ['another voice provider without a voice', { voice: { provider: 'tape' } }, 'voice.name'],
  ['101 variables', { variables: Array.from({ length: 101 }, (_, i) => ({ name: `v${i}` })) }, 'variables'],
])('%s is 422 and names the field', async (_fault, fields, field) => {
  const api = shared();
  const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...fields });
  expect(status).toBe(422);
  expect(body).toMatchObject({ data: null, error: { type: 'validation_error', status: 422 } });
  expect(body.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  expect(await api.database.query.selectFrom('agents').select('id').execute()).toEqual([]);
});

it('an unknown provider is refused with the known ones, and a model without provider gets the default one', async () => {
  const api = await testApi();
  const unknown = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, llm: { provider: 'x', model: 'm' } });
  expect(unknown.body.error.details).toEqual([
    { field: 'llm.provider', message: 'unknown provider. Known providers: openai, tape' },
  ]);
  const without = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, llm: { provider: 'x' } });
  expect(without.body.error.details).toEqual(unknown.body.error.details);
  const unconfigured = await api.ask('POST', '/v1/agents', {
    ...MINIMAL_AGENT,
    llm: { provider: 'ollama', model: 'm' },
  });
  expect(unconfigured.body.error.details).toEqual([
    {
      field: 'llm.provider',
      message: 'not configured: set OLLAMA_BASE_URL in the environment. Known providers: openai, tape',
    },
  ]);
  const id = await createAgent(api, { llm: { model: 'some-model' } });
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data.llm).toEqual({ provider: 'openai', model: 'some-model' });
});

it('a model whose name identifies no provider is 422 with the known ones, in every place', async () => {
  const api = await testApi({ providerOfModel: () => null });
  const ambiguous = { model: 'served-by-two-providers' };
  const states = [{ name: 'greeting', llm: ambiguous }];
  const { body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, llm: ambiguous, states });
  const message = 'required, because the model name identifies no provider. Known providers: openai, tape';
  expect(body.error.details).toEqual([
    { field: 'llm.provider', message },
    { field: 'states[0].llm.provider', message },
  ]);
});

it.each([
  [
    { value: { source: 'env' } },
    [['value.source', expect.stringMatching(/^expected one of "variable", "llm_parameter"/)]],
  ],
  [
    { value: { source: 'variable', variabel: 'q' } },
    [
      ['value.variable', 'Required: expected a string'],
      ['value.variabel', 'Unknown field'],
    ],
  ],
  [{ value: 'literal' }, [['value', 'expected an object, got a string']]],
  [{ type: 'text' }, [['type', expect.stringMatching(/^expected one of "string", "number"/)]]],
  [{ typ: 'string' }, [['typ', 'Unknown field']]],
])('a parameter with %j is 422 with the expectation of its kind', async (fields, details) => {
  const tool = { ...FUNCTION, parameters: [{ name: 'p', ...fields }] };
  const { body } = await shared().ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...withTools(tool) });
  expect(body.error.details).toEqual(
    details.map(([field, message]) => ({ field: `states[0].tools[0].parameters[0].${field}`, message })),
  );
});

it('graph faults are 422 with their paths, and warnings are part of the response', async () => {
  const api = await testApi();
  const nowhere = [{ name: 'greeting', transitions: [{ condition: 'always', destination_state_name: 'x' }] }];
  const refused = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, states: nowhere });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details).toEqual([
    { field: 'states[0].transitions[0].destination_state_name', message: expect.any(String) },
  ]);
  const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, states: [{ name: 'greeting' }] });
  expect(status).toBe(201);
  expect(body.data.warnings).toEqual([
    { field: 'states[0]', message: expect.stringContaining('no transition and no tool') },
  ]);
  expect(body.message).toContain('no transition and no tool');
});

it('headers of a transfer may contain variables, in addresses too', async () => {
  const api = shared();
  const headers = { 'X-Customer': '{{customer}}', 'P-Asserted-Identity': '<sip:{{customer}}@pbx.example>' };
  const tool = { type: 'transfer_call', name: 'x', destination: '+4930123456', headers };
  expect((await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...withTools(tool) })).status).toBe(201);
});

it('a secret header is encrypted at rest and returned as ***', async () => {
  const api = await testApi();
  const id = await createAgent(api, withTools(FUNCTION));
  const { body } = await api.ask('GET', `/v1/agents/${id}`);
  expect(body.data.states[0].tools[0].headers).toEqual([
    { name: 'Authorization', value: '***', secret: true },
    { name: 'X-Plain', value: 'seen', secret: false },
  ]);
  const rows = await api.database.query.selectFrom('agent_versions').select('configuration_json').execute();
  expect(JSON.stringify(rows)).not.toContain('top-secret');
  const version = await api.repositories.agents.findVersion(id, 1);
  const tool = version?.configuration.states[0]?.tools[0];
  const sealed = tool?.type === 'custom_function' ? (tool.headers[0]?.value ?? '') : '';
  expect(api.secrets.open(sealed, 'secret_header')).toBe('Bearer top-secret');
  expect(() => api.secrets.open(sealed, 'trunk_password')).toThrow();
});

it('a version can be read by its number', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  expect((await api.ask('GET', `/v1/agents/${id}?version=1`)).body.data.version).toBe(1);
  expect((await api.ask('GET', `/v1/agents/${id}?version=2`)).status).toBe(404);
  for (const query of ['version=0', 'version=one', 'version=1.5', 'version=99999999999', 'versoin=1']) {
    expect((await api.ask('GET', `/v1/agents/${id}?${query}`)).status).toBe(422);
  }
  expect((await api.ask('GET', `/v1/agents/${id}`, undefined, OTHER_KEY)).status).toBe(404);
});

it('a webhook secret follows Standard Webhooks, is encrypted at rest, and the previous one stays valid for a day', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  const signing = async (nowMs: number) =>
    (await api.repositories.webhookSecrets.signing(id, nowMs)).map((sealed) =>
      api.secrets.open(sealed, 'webhook_secret'),
    );
  expect(await signing(api.clock.nowMs)).toEqual([]);
  const first = await api.ask('POST', `/v1/agents/${id}/webhook-secret`);
  expect(first.status).toBe(201);
  const { secret } = first.body.data;
  expect(new Webhook(secret).sign('msg_1', new Date(), '{}')).toMatch(/^v1,/);
  api.clock.advance(1_000);
  const second = await api.ask('POST', `/v1/agents/${id}/webhook-secret`);
  const day = 24 * 60 * 60 * 1_000;
  expect(await signing(api.clock.nowMs)).toEqual([second.body.data.secret, secret]);
  expect(await signing(api.clock.nowMs + day - 1)).toHaveLength(2);
  expect(await signing(api.clock.nowMs + day)).toEqual([second.body.data.secret]);
  const rows = await api.database.query.selectFrom('webhook_secrets').select('secret_sealed').execute();
  expect(JSON.stringify(rows)).not.toContain(secret);
});

it('a provider without its key is 422 with the variable, and only a warning where the request did not choose it', async () => {
  const missingSetting = (_kind: string, provider: string) => (provider === 'tape' ? 'TAPE_DIR' : null);
  const api = await testApi({ missingSetting });
  const message = 'not configured: set TAPE_DIR in the environment';
  const chosen = {
    transcriber_configuration: { provider: 'tape' },
    fallbacks: { voice: [{ provider: 'tape', name: 'x' }] },
  };
  const refused = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...chosen });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details).toEqual([
    { field: 'transcriber_configuration.provider', message },
    { field: 'fallbacks.voice[0].provider', message },
  ]);
  const { agentDefaults } = loadConfiguration({ DEFAULT_TRANSCRIBER_PROVIDER: 'tape' });
  const byDefault = await testApi({ agentDefaults, missingSetting });
  const { body } = await byDefault.ask('POST', '/v1/agents', MINIMAL_AGENT);
  expect(body.data.warnings).toEqual([{ field: 'transcriber_configuration.provider', message }]);
  const path = `/v1/agents/${body.data.id}`;
  const agent = (await byDefault.ask('GET', path)).body.data;
  const again = await byDefault.ask('PATCH', path, { ...agent, base_prompt: 'Be brief.' });
  expect(again.body.data).toMatchObject({ version: 2, warnings: [{ field: 'transcriber.provider', message }] });
});

it('turn detection by the provider is 422 for a transcriber that detects no turns', async () => {
  const api = await testApi();
  const ask = (model: string) =>
    api.ask('POST', '/v1/agents', {
      ...MINIMAL_AGENT,
      turn_detection: 'provider',
      transcriber: { provider: 'deepgram', model },
    });
  const refused = await ask('nova-3');
  expect(refused.status).toBe(422);
  expect(refused.body.error.details).toEqual([
    { field: 'turn_detection', message: expect.stringContaining('deepgram nova-3 detects no turns') },
  ]);
  const accepted = await ask('flux-general-en');
  expect(accepted.status).toBe(201);
  const { body } = await api.ask('GET', `/v1/agents/${accepted.body.data.id}`);
  expect(body.data).toMatchObject({ turn_detection: 'provider' });
});

it('a part of a voice changes only that part', async () => {
  const api = await testApi();
  const id = await createAgent(api, { voice: { speed: 1.5 } });
  const voice = async () => (await api.ask('GET', `/v1/agents/${id}`)).body.data.voice;
  expect(await voice()).toEqual({ provider: 'deepgram', name: 'aura-2-thalia-en', speed: 1.5 });
  await api.ask('PATCH', `/v1/agents/${id}`, { voice: { provider: 'tape', name: 'x', model: 'm' } });
  await api.ask('PATCH', `/v1/agents/${id}`, { voice: { speed: 0.8 } });
  expect(await voice()).toEqual({ provider: 'tape', name: 'x', model: 'm', speed: 0.8 });
  await api.ask('PATCH', `/v1/agents/${id}`, { voice: { name: 'y' } });
  expect(await voice()).toEqual({ provider: 'tape', name: 'y', speed: 1 });
});

it('an agent with every field can be sent back as it was read, and stays unchanged', async () => {
  const api = await testApi();
  const id = await createAgent(api, {
    ...withTools(
      { ...FUNCTION, parameters: [{ name: 'a' }, { name: 'b', value: { source: 'variable', variable: 'customer' } }] },
      { type: 'transfer_call', name: 'desk', destination: '+4930123456', headers: { 'X-Desk': '1' } },
      { type: 'wait', name: 'hold_on' },
      { type: 'send_dtmf', name: 'press' },
    ),
    variables: [{ name: 'customer', type: 'integer', extraction_instructions: 'Digits.' }],
    fallbacks: { llm: [{ provider: 'tape', model: 'm' }], voice: [{ provider: 'tape', name: 'x' }] },
    on_provider_failure: { action: 'transfer', destination: '+4930123456' },
    dtmf: { max_digits: 4 },
    pronunciations: [{ from: 'SQL', to: 'sequel' }],
    webhook_url: 'https://receiver.example.com/',
    max_monologue: 30,
    call_purpose: 'A booking.',
  });
  const agent = (await api.ask('GET', `/v1/agents/${id}`)).body.data;
  const { status, body } = await api.ask('PATCH', `/v1/agents/${id}`, agent);
  expect(status).toBe(200);
  const { warnings: _warnings, ...again } = body.data;
  expect(again).toEqual(agent);
});

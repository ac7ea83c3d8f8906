import { describe, expect, it } from 'vitest';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

async function versionsOf(api: TestApi, id: string): Promise<unknown[]> {
  const { body } = await api.ask('GET', `/v1/agents/${id}/versions`);
  return body.data.map(({ version, active, published }) => [version, active, published]);
}

it('an update publishes a version; omitted fields keep their values, and null resets to the default', async () => {
  const api = await testApi();
  const id = await createAgent(api, { base_prompt: 'Be kind.', max_call_duration: 60 });
  api.clock.advance(1_000);
  const { status, body } = await api.ask('PATCH', `/v1/agents/${id}`, {
    initial_message: 'Hello',
    max_call_duration: null,
  });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    version: 2,
    initial_message: 'Hello',
    base_prompt: 'Be kind.',
    max_call_duration: 1_800,
    updated_at: '2026-01-01T00:00:01.000Z',
  });
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).toEqual(body.data);
  expect((await api.ask('GET', `/v1/agents/${id}?version=1`)).body.data).toMatchObject({
    initial_message: '',
    max_call_duration: 60,
  });
  expect(await versionsOf(api, id)).toEqual([
    [2, true, true],
    [1, false, true],
  ]);
});

it('name, webhook and recording settings apply without a version, and so does an update without changes', async () => {
  const api = await testApi();
  const id = await createAgent(api, { webhook_url: 'https://gone.example.com/' });
  await api.repositories.agents.disableWebhook(id, 'https://gone.example.com/', api.clock.nowMs);
  const { body } = await api.ask('PATCH', `/v1/agents/${id}`, {
    name: 'Night desk',
    webhook_url: 'https://receiver.example.com/hook',
    webhook_subscriptions: ['event_call_ended'],
    secure_recording_urls: true,
  });
  expect(body.data).toMatchObject({ version: 1, name: 'Night desk', webhook_subscriptions: ['event_call_ended'] });
  const row = await api.database.query.selectFrom('agents').select('webhook_disabled_ms').executeTakeFirst();
  expect(row?.webhook_disabled_ms).toBeNull();
  // A late 410 of the previous receiver must not disable the new one.
  await api.repositories.agents.disableWebhook(id, 'https://gone.example.com/', api.clock.nowMs);
  expect(await api.database.query.selectFrom('agents').select('webhook_disabled_ms').execute()).toEqual([row]);
  const agent = (await api.ask('GET', `/v1/agents/${id}`)).body.data;
  expect((await api.ask('PATCH', `/v1/agents/${id}`, agent)).body.data.version).toBe(1);
  expect((await api.ask('PATCH', `/v1/agents/${id}`, {})).body.data.version).toBe(1);
  const cleared = await api.ask('PATCH', `/v1/agents/${id}`, { webhook_url: null });
  expect(cleared.body.data).toMatchObject({ webhook_url: null, version: 1, name: 'Night desk' });
});

it('a draft extends the previous draft and applies when deployed; a published update extends the active version', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  await api.ask('PATCH', `/v1/agents/${id}?publish=false`, { base_prompt: 'draft' });
  const second = await api.ask('PATCH', `/v1/agents/${id}?publish=false`, { initial_message: 'draft too' });
  expect(second.body.data).toMatchObject({ version: 3, base_prompt: 'draft', initial_message: 'draft too' });
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).toMatchObject({ version: 1, base_prompt: '' });
  const published = await api.ask('PATCH', `/v1/agents/${id}`, { language: 'de' });
  expect(published.body.data).toMatchObject({ version: 4, base_prompt: '', language: 'de' });
  const deployed = await api.ask('POST', `/v1/agents/${id}/deploy?version=3`);
  expect(deployed.body.data).toMatchObject({ version: 3, initial_message: 'draft too' });
  expect(await versionsOf(api, id)).toEqual([
    [4, false, true],
    [3, true, true],
    [2, false, false],
    [1, false, true],
  ]);
  expect((await api.ask('POST', `/v1/agents/${id}/deploy?version=9`)).status).toBe(404);
  expect((await api.ask('POST', `/v1/agents/${id}/deploy`)).status).toBe(422);
});

it('only the requested version is parsed: an unreadable older version does no harm', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  await api.ask('PATCH', `/v1/agents/${id}`, { language: 'de' });
  const unreadable = api.database.query.updateTable('agent_versions').set({ configuration_json: '{}' });
  await unreadable.where('agent_id', '=', id).where('version', '=', 1).execute();
  expect(await versionsOf(api, id)).toEqual([
    [2, true, true],
    [1, false, true],
  ]);
  expect((await api.ask('PATCH', `/v1/agents/${id}`, { language: 'fr' })).body.data).toMatchObject({ version: 3 });
});

it('an update with an outdated base_version is 409 and changes nothing', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  await api.ask('PATCH', `/v1/agents/${id}`, { language: 'de' });
  const stale = await api.ask('PATCH', `/v1/agents/${id}?base_version=1`, { language: 'fr', name: 'x' });
  expect([stale.status, stale.body.error.type]).toEqual([409, 'api_error']);
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).toMatchObject({ language: 'de', name: 'Front desk' });
  expect((await api.ask('PATCH', `/v1/agents/${id}?base_version=2`, { language: 'fr' })).status).toBe(200);
});

it('exactly one of several simultaneous updates with one base_version succeeds', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  const changes = Array.from({ length: 8 }, (_, index) =>
    api.ask('PATCH', `/v1/agents/${id}?base_version=1`, { base_prompt: `${index}` }),
  );
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(7);
  expect(await versionsOf(api, id)).toHaveLength(2);
});

it('simultaneous updates without base_version all succeed, one after the other', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  const fields = { base_prompt: 'Be brief.', language: 'de', initial_message: 'Hello', max_call_duration: 60 };
  const changes = Object.entries(fields).map(([name, value]) =>
    api.ask('PATCH', `/v1/agents/${id}`, { [name]: value }),
  );
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).toMatchObject({ ...fields, version: 5 });
});

it('a masked secret is kept, a new one replaces it, and a mask without a secret is 422', async () => {
  const api = await testApi();
  const states = (value: string, name = 'Authorization') => [
    {
      name: 'greeting',
      tools: [
        { type: 'custom_function', name: 'f', url: 'https://x.example/', headers: [{ name, value, secret: true }] },
        { type: 'hang_up', name: 'bye' },
      ],
    },
  ];
  const id = await createAgent(api, { states: states('first') });
  const secretOf = async (version: number): Promise<string> => {
    const tool = (await api.repositories.agents.findVersion(id, version))?.configuration.states[0]?.tools[0];
    return tool?.type === 'custom_function' ? api.secrets.open(tool.headers[0]?.value ?? '', 'secret_header') : '';
  };
  const agent = (await api.ask('GET', `/v1/agents/${id}`)).body.data;
  await api.ask('PATCH', `/v1/agents/${id}`, { ...agent, language: 'de' });
  expect(await secretOf(2)).toBe('first');
  await api.ask('PATCH', `/v1/agents/${id}`, { states: states('second') });
  expect(await secretOf(3)).toBe('second');
  const lost = await api.ask('PATCH', `/v1/agents/${id}`, { states: states('***', 'X-Other') });
  expect([lost.status, lost.body.error.details[0].field]).toEqual([422, 'states[0].tools[0].headers[0].value']);
});

describe('a masked secret after states or tools were renamed', () => {
  const place = (state: string, tool: string, url: string, value: string) => ({
    name: state,
    prompt: 'Talk.',
    transitions: [],
    tools: [{ type: 'custom_function', name: tool, url, headers: [{ name: 'Authorization', value, secret: true }] }],
  });
  const [DESK, BILLING] = ['https://desk.example/', 'https://billing.example/'];

  /** The secrets by the URL that each is sent to, after an update of an agent with two tools; null: it was refused. */
  async function secretsAfter(states: readonly ReturnType<typeof place>[], billingUrl = BILLING) {
    const api = await testApi();
    const before = [place('greeting', 'ask', DESK, 'desk'), place('paying', 'pay', billingUrl, 'billing')];
    const id = await createAgent(api, { states: before });
    const { status } = await api.ask('PATCH', `/v1/agents/${id}`, { states, initial_state_name: states[0]?.name });
    if (status !== 200) return null;
    const stored = (await api.repositories.agents.findVersion(id, 2))?.configuration.states ?? [];
    return stored.flatMap(({ tools }) =>
      tools.flatMap((tool) =>
        tool.type !== 'custom_function'
          ? []
          : [[tool.url, api.secrets.open(tool.headers[0]?.value ?? '', 'secret_header')]],
      ),
    );
  }

  it('is kept by a renamed state and a renamed tool', async () => {
    const renamed = [place('welcome', 'ask', DESK, '***'), place('paying', 'charge', BILLING, '***')];
    expect(await secretsAfter(renamed)).toEqual([
      [DESK, 'desk'],
      [BILLING, 'billing'],
    ]);
  });

  it('follows its URL if two tools exchange their names', async () => {
    const exchanged = [place('paying', 'pay', DESK, '***'), place('greeting', 'ask', BILLING, '***')];
    expect(await secretsAfter(exchanged)).toEqual([
      [DESK, 'desk'],
      [BILLING, 'billing'],
    ]);
  });

  it('is kept by a tool with a new URL and its names', async () => {
    const moved = [place('greeting', 'ask', 'https://new.example/', '***'), place('paying', 'pay', BILLING, '***')];
    expect(await secretsAfter(moved)).toEqual([
      ['https://new.example/', 'desk'],
      [BILLING, 'billing'],
    ]);
  });

  it('is refused if the URL had two secrets, or none', async () => {
    expect(await secretsAfter([place('welcome', 'ask', DESK, '***')], DESK)).toBeNull();
    expect(await secretsAfter([place('welcome', 'ask', 'https://new.example/', '***')])).toBeNull();
  });
});

it.each([
  [{ states: null }, 'states'],
  [{ name: null }, 'name'],
  [{ initial_state_name: 'nowhere' }, 'initial_state_name'],
  [{ colour: 'red' }, 'colour'],
  [{ voice: { provider: 'nobody', name: 'x' } }, 'voice.provider'],
  [
    { transcriber: { provider: 'deepgram' }, transcriber_configuration: { provider: 'tape' } },
    'transcriber_configuration',
  ],
  [{ max_call_duration: 5 }, 'max_call_duration'],
])('an update with %j is 422 and creates no version', async (change, field) => {
  const api = await testApi();
  const id = await createAgent(api);
  const { status, body } = await api.ask('PATCH', `/v1/agents/${id}`, change);
  expect(status).toBe(422);
  expect(body.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
  expect(await versionsOf(api, id)).toHaveLength(1);
});

it('the transcriber can be updated under both names', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  for (const [name, provider] of [
    ['transcriber_configuration', 'tape'],
    ['transcriber', 'deepgram'],
  ] as const) {
    const { body } = await api.ask('PATCH', `/v1/agents/${id}`, { [name]: { provider } });
    expect(body.data).toMatchObject({ transcriber: { provider }, transcriber_configuration: { provider } });
  }
});

it('only agents of the same organization are listed, newest first', async () => {
  const api = await testApi();
  const ids = [await createAgent(api), await createAgent(api), await createAgent(api)].reverse();
  const page = await api.ask('GET', '/v1/agents?limit=2');
  expect(page.body).toMatchObject({ total_items: 3, total_pages: 2 });
  expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  const first = await api.ask('GET', '/v1/agents?use_cursor=true&limit=2');
  const rest = await api.ask('GET', `/v1/agents?use_cursor=true&limit=2&cursor=${first.body.next_cursor}`);
  expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
  expect((await api.ask('GET', '/v1/agents', undefined, OTHER_KEY)).body.data).toEqual([]);
});

it('deleting an agent deletes its versions, keeps its calls and removes it from its numbers', async () => {
  const api = await testApi();
  const id = await createAgent(api);
  const number = await api.ask('POST', '/v1/phone-numbers', { number: '+493012345678', inbound_agent_id: id });
  const calls = createCallRepository(api.database);
  const call = newCall(id, { status: 'in_progress' });
  await calls.createCall(call);
  expect((await api.ask('DELETE', `/v1/agents/${id}`, undefined, OTHER_KEY)).status).toBe(404);
  expect((await api.ask('DELETE', `/v1/agents/${id}`)).status).toBe(200);
  expect((await api.ask('DELETE', `/v1/agents/${id}`)).status).toBe(404);
  expect((await api.ask('GET', `/v1/agents/${id}`)).status).toBe(404);
  expect(await api.repositories.agents.findVersion(id, 1)).toBeNull();
  expect((await api.ask('GET', `/v1/calls/${call.id}`)).body.data).toMatchObject({
    agent_id: id,
    status: 'in_progress',
  });
  expect(await calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs })).toBe(
    true,
  );
  expect((await api.ask('GET', `/v1/phone-numbers/${number.body.data.id}`)).body.data.inbound_agent_id).toBeNull();
});

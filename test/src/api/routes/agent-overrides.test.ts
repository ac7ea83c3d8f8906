import { expect, it } from 'vitest';
import { createAgent, sharedApi } from '../test-api.ts';

/** `tape` is known, but lacks its key. */
const shared = sharedApi({ missingSetting: (_kind, provider) => (provider === 'tape' ? 'TAPE_KEY' : null) });

const CALLER = '+4915112345678';
const DESK = '+493012345678';
const NUMBERS = { from_number: CALLER, to_number: DESK };

const VOICE = { provider: 'deepgram', name: 'aura-2-thalia-en', model: 'aura-2', speed: 1 };
const LLM = { provider: 'openai', model: 'gpt-4.1-mini' };

it.each([
  ['base_prompt', { base_prompt: 'Say {{name' }],
  ['base_prompt', { base_prompt: 'x'.repeat(100_001) }],
  ['initial_message', { initial_message: 'Hello {{name' }],
  ['initial_message', { initial_message: null }],
  ['voice.provider', { voice: { provider: 'nobody', name: 'x' } }],
  ['voice.provider', { voice: { provider: 'tape', name: 'x' } }],
  ['voice.name', { voice: { provider: 'tape' } }],
  ['voice.speed', { voice: { speed: 3 } }],
  ['llm.provider', { llm: { provider: 'nobody', model: 'x' } }],
  ['llm.provider', { llm: { provider: 'tape', model: 'x' } }],
  ['llm.model', { llm: { provider: 'openai' } }],
  ['language', { language: 'english please' }],
  ['language', { language: 'xx' }],
  ['max_call_duration', { max_call_duration: 9 }],
  ['states', { states: [] }],
  ['recording', { recording: false }],
])('a fault of %s in the overrides of a call is 422 and names the field: %j', async (field, overrides) => {
  const api = shared();
  const request = { agent_id: await createAgent(api, { voice: VOICE, llm: LLM }), agent_overrides: overrides };
  for (const [path, body] of [
    ['/v1/calls/stage', { ...request, ...NUMBERS }],
    ['/v1/calls/web', request],
  ] as const) {
    const { status, body: answer } = await api.ask('POST', path, body);
    expect([status, answer.error.details.map((one) => one.field)]).toEqual([422, [`agent_overrides.${field}`]]);
  }
  expect(api.callService.staged).toEqual([]);
});

it('all faults of the overrides of a call are listed, a voice without a name included', async () => {
  const api = shared();
  const overrides = { voice: { provider: 'tape' }, llm: { provider: 'nobody', model: 'x' }, language: 'xx' };
  const request = { agent_id: await createAgent(api, { voice: VOICE, llm: LLM }), agent_overrides: overrides };
  const { body: answer } = await api.ask('POST', '/v1/calls/web', request);
  expect(answer.error.details.map((one) => one.field)).toEqual(
    ['voice.name', 'language', 'llm.provider'].map((field) => `agent_overrides.${field}`),
  );
});

it('the overrides of a call are completed from its agent, and the agent does not change', async () => {
  const api = shared();
  const agentId = await createAgent(api, { voice: VOICE, llm: LLM });
  const given = {
    base_prompt: 'You are brief, {{name}}.',
    initial_message: '',
    voice: { speed: 1.5 },
    llm: { model: 'gpt-5' },
    language: 'fr',
    max_call_duration: 60,
  };
  const stored = { ...given, voice: { ...VOICE, speed: 1.5 }, llm: { provider: 'openai', model: 'gpt-5' } };
  const request = { ...NUMBERS, agent_id: agentId, agent_overrides: given };
  const staged = await api.ask('POST', '/v1/calls/stage', request);
  expect(api.callService.staged.at(-1)?.agentOverrides).toEqual(stored);
  const { body } = await api.ask('GET', `/v1/calls/${staged.body.data.call_id}`);
  expect(body.data.agent_overrides).toEqual(stored);

  const number = { number: DESK, name: 'Desk' };
  expect((await api.ask('POST', '/v1/phone-numbers', number)).status).toBe(201);
  const outbound = await api.ask('POST', '/v1/calls/phone', { ...request, from_number: DESK, to_number: CALLER });
  expect(outbound.status).toBe(201);
  expect(api.callService.started.at(-1)?.agentOverrides).toEqual(stored);
  const agent = await api.ask('GET', `/v1/agents/${agentId}`);
  expect(agent.body.data).toMatchObject({ voice: VOICE, llm: LLM, language: 'en', version: 1 });

  const listed = await api.ask('GET', `/v1/calls?agent_id=${agentId}`);
  expect(Object.keys(listed.body.data[0])).not.toContain('agent_overrides');
});

it('a call without overrides has null', async () => {
  const api = shared();
  for (const given of [undefined, null]) {
    const request = { ...NUMBERS, agent_id: await createAgent(api), agent_overrides: given };
    const { body } = await api.ask('POST', '/v1/calls/stage', request);
    expect((await api.ask('GET', `/v1/calls/${body.data.call_id}`)).body.data.agent_overrides).toBeNull();
  }
});

it('deleting the content of a call deletes its overrides', async () => {
  const api = shared();
  const request = { ...NUMBERS, agent_id: await createAgent(api), agent_overrides: { base_prompt: 'For Ada only.' } };
  const { body } = await api.ask('POST', '/v1/calls/stage', request);
  const callId = body.data.call_id;
  await api.repositories.calls.finish(callId, { status: 'canceled', endReason: 'terminated', atMs: api.clock.nowMs });
  expect((await api.ask('DELETE', `/v1/calls/${callId}`)).status).toBe(200);
  expect((await api.ask('GET', `/v1/calls/${callId}`)).body.data.agent_overrides).toBeNull();
});

import { expect, it } from 'vitest';
import { checkGraph } from '../../../../engine/agent/graph-check.ts';
import { lookupAnswerReader } from '../../../../src/api/calls/lookup-answer.ts';
import { loadConfiguration } from '../../../../src/configuration/configuration.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createAgent, OTHER_KEY, type TestApi, testApi } from '../test-api.ts';

function readerOf({ repositories }: TestApi) {
  return lookupAnswerReader({
    repositories,
    agentDefaults: loadConfiguration({}).agentDefaults,
    providers: { llm: ['openai'], voice: ['deepgram'], transcriber: ['deepgram'] },
    missingSetting: () => null,
    providerOfModel: (_model, preferred) => preferred ?? null,
    checkGraph,
  });
}

it('an answer chooses agent, variables and overrides; what it omits comes from the inbound agent', async () => {
  const api = await testApi();
  const read = readerOf(api);
  const [own, other] = [await createAgent(api), await createAgent(api, { name: 'Other' })];
  const overrides = { language: 'fr', llm: { model: 'gpt-5' } };
  for (const nothing of [{}, { agent_id: null, dynamic_variables_values: null, agent_overrides: null, refuse: null }]) {
    expect(await read(DEFAULT_ORGANIZATION_ID, own, nothing)).toEqual({
      type: 'accepted',
      request: {
        organizationId: DEFAULT_ORGANIZATION_ID,
        agentId: own,
        agentVersion: 1,
        dynamicVariables: {},
        agentOverrides: null,
      },
    });
  }
  const answer = { agent_id: other, dynamic_variables_values: { name: 'Ada' }, agent_overrides: overrides };
  expect(await read(DEFAULT_ORGANIZATION_ID, own, answer)).toMatchObject({
    type: 'accepted',
    request: {
      agentId: other,
      dynamicVariables: { name: 'Ada' },
      agentOverrides: { language: 'fr', llm: { model: 'gpt-5', provider: 'openai' } },
    },
  });
});

it.each([403, 404, 410, 480, 486, 600, 603, 604, 607])('an answer refuses a call with %i', async (status) => {
  const read = readerOf(await testApi());
  expect(await read(DEFAULT_ORGANIZATION_ID, 'own', { refuse: { sip_status: status } })).toEqual({
    type: 'refused',
    sipStatus: status,
  });
});

it.each([100, 180, 200, 302, 401, 407, 408, 482, 487, 488, 491, 500, 503, 699, '603', null])(
  'an answer does not refuse a call with %j',
  async (status) => {
    const read = readerOf(await testApi());
    await expect(read(DEFAULT_ORGANIZATION_ID, 'own', { refuse: { sip_status: status } })).rejects.toThrow(
      /^refuse\.sip_status: /,
    );
  },
);

it.each([
  ['body', 'text'],
  ['body', []],
  ['agent_id', { agent_id: 'x' }],
  ['agent_id', { agent_id: '00000000-0000-4000-8000-00000000000f' }],
  ['agent', { agent: {} }],
  ['dynamic_variables_values.seats', { dynamic_variables_values: { seats: 'many' } }],
  ['agent_overrides.voice.provider', { agent_overrides: { voice: { provider: 'nobody', name: 'x' } } }],
  ['agent_overrides.states', { agent_overrides: { states: [] } }],
])('an answer with a fault of %s is not taken: %j', async (field, answer) => {
  const api = await testApi();
  const own = await createAgent(api, { variables: [{ name: 'seats', type: 'integer' }] });
  await expect(readerOf(api)(DEFAULT_ORGANIZATION_ID, own, answer)).rejects.toThrow(`${field}: `);
});

it('an answer does not choose the agent of another organization, and is no deeper than a request', async () => {
  const api = await testApi();
  const own = await createAgent(api);
  const { body } = await api.ask(
    'POST',
    '/v1/agents',
    { name: 'Theirs', initial_state_name: 'a', states: [{ name: 'a' }] },
    OTHER_KEY,
  );
  const theirs = { agent_id: body.data.id };
  await expect(readerOf(api)(DEFAULT_ORGANIZATION_ID, own, theirs)).rejects.toThrow(/^agent_id: /);
  let deep: unknown = 1;
  for (let level = 0; level < 100; level++) deep = { deep };
  const answer = { dynamic_variables_values: deep };
  await expect(readerOf(api)(DEFAULT_ORGANIZATION_ID, own, answer)).rejects.toThrow(/nested deeper/);
  const unstorable = { dynamic_variables_values: { 'a\u0000': 1 } };
  await expect(readerOf(api)(DEFAULT_ORGANIZATION_ID, own, unstorable)).rejects.toThrow(/^dynamic_variables_values/);
});

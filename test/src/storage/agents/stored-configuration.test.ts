import { expect, it } from 'vitest';
import { createAgentRepository } from '../../../../src/storage/agents/agent-repository.ts';
import { storedConfiguration } from '../../../../src/storage/agents/stored-configuration.ts';
import { storeAgent, temporaryDatabase, testConfiguration } from '../temporary-database.ts';

const SEALED = 'x'.repeat(20_000);

function row(configuration: unknown) {
  return { agent_id: 'agent', version: 1, configuration_json: JSON.stringify(configuration) };
}

it('a version stored before the schema got a field has the default of the field', async () => {
  const database = await temporaryDatabase();
  const agentId = await storeAgent(database);
  const { fallbacks: _one, pronunciations: _two, dtmf: _three, ...old } = testConfiguration;
  const [state] = testConfiguration.states;
  const { knowledge_base_ids: _four, ...oldState } = state ?? {};
  const json = JSON.stringify({ ...old, states: [oldState] });
  await database.query.updateTable('agent_versions').set({ configuration_json: json }).execute();
  const agents = createAgentRepository(database);
  expect((await agents.findVersion(agentId, 1))?.configuration).toEqual(testConfiguration);
});

it('sealed secrets of any length are restored to their headers, and to no other header', () => {
  const headers = [
    { name: 'X-Key', value: SEALED, secret: true },
    { name: 'X-Plain', value: 'sealed 0', secret: false },
  ];
  const tool = { type: 'custom_function', name: 'f', url: 'https://example.com/', headers };
  const stored = { ...testConfiguration, states: [{ name: 'start', tools: [tool] }] };
  const [read] = storedConfiguration(row(stored)).states[0]?.tools ?? [];
  expect(read).toMatchObject({ headers });
});

it('fractions of seconds and control characters in headers of an older version are adapted', () => {
  const header = (value: string) => ({ name: 'X-Key', value, secret: false });
  const versionWith = (value: string, delay: number) => ({
    ...testConfiguration,
    initial_message_delay: delay,
    presence_check_idle_threshold: delay + 3,
    states: [
      {
        name: 'start',
        tools: [{ type: 'custom_function', name: 'f', url: 'https://a.example/', headers: [header(value)] }],
      },
    ],
  });
  const read = storedConfiguration(row(versionWith('one\r\nX-Two: two', 0.6)));
  expect(read).toEqual(storedConfiguration(row(versionWith('one X-Two: two', 1))));
});

it('a version that violates the schema is reported with the place of the fault', () => {
  const wrong = { ...testConfiguration, max_call_duration: 'long' };
  expect(() => storedConfiguration(row(wrong))).toThrow(/version 1 of agent agent cannot be read: max_call_duration/);
  expect(() => storedConfiguration(row({ ...testConfiguration, gone: true }))).toThrow(/cannot be read/);
});

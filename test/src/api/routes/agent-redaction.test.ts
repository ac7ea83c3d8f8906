import { expect, it } from 'vitest';
import { MINIMAL_AGENT, testApi } from '../test-api.ts';

it('redaction with an unknown entity or an empty list gets 422, and null switches it off', async () => {
  const api = await testApi();
  const redaction = { entities: ['card', 'email'] };
  const { id } = (await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, redaction })).body.data;
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).toMatchObject({ redaction });
  for (const { entities, field } of [
    { entities: ['card', 'shoe_size'], field: 'redaction.entities[1]' },
    { entities: [], field: 'redaction.entities' },
  ]) {
    const refused = await api.ask('PATCH', `/v1/agents/${id}`, { redaction: { entities } });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([{ field }]);
  }
  expect((await api.ask('PATCH', `/v1/agents/${id}`, { redaction: null })).status).toBe(200);
  expect((await api.ask('GET', `/v1/agents/${id}`)).body.data).not.toHaveProperty('redaction');
});

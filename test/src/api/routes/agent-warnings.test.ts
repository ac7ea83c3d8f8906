import { expect, it, vi } from 'vitest';
import { createAgent, MINIMAL_AGENT, testApi } from '../test-api.ts';

it('a webhook without a secret is a warning until the agent has one', async () => {
  const api = await testApi();
  const warning = { field: 'webhook_url', message: expect.stringContaining('not signed') };
  const created = await api.ask('POST', '/v1/agents', {
    ...MINIMAL_AGENT,
    webhook_url: 'https://receiver.example.com/',
  });
  expect(created.body.data.warnings).toEqual([warning]);
  const path = `/v1/agents/${created.body.data.id}`;
  const changed = await api.ask('PATCH', path, { name: 'Night desk' });
  expect(changed.body.data.warnings).toEqual([warning]);
  expect(changed.body.message).toContain('Warning: webhook_url');
  await api.ask('POST', `${path}/webhook-secret`);
  expect((await api.ask('PATCH', path, { name: 'Day desk' })).body.data.warnings).toBeUndefined();
});

it('a webhook that gets no kind of event is a warning', async () => {
  const api = await testApi();
  const warning = { field: 'webhook_subscriptions', message: expect.stringContaining('gets no events') };
  const webhook = { webhook_url: 'https://receiver.example.com/', webhook_subscriptions: [] };
  const created = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...webhook });
  expect(created.body.data.warnings).toEqual([warning]);
  const path = `/v1/agents/${created.body.data.id}`;
  expect((await api.ask('PATCH', path, { name: 'Night desk' })).body.data.warnings).toEqual([warning]);
  expect((await api.ask('PATCH', path, { webhook_url: null })).body.data.warnings).toBeUndefined();
});

it('an update of an agent without a webhook reads no secrets', async () => {
  const api = await testApi();
  const signing = vi.spyOn(api.repositories.webhookSecrets, 'signing');
  const path = `/v1/agents/${await createAgent(api)}`;
  expect((await api.ask('PATCH', path, { name: 'Night desk' })).status).toBe(200);
  expect(signing).not.toHaveBeenCalled();
  await api.ask('PATCH', path, { webhook_url: 'https://receiver.example.com/' });
  expect(signing).toHaveBeenCalledOnce();
});

import { expect, it } from 'vitest';
import { createAgent, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

it('the names of agents are listed without their configurations, page by page, for their organization alone', async () => {
  const api = await testApi();
  const first = await createAgent(api, { name: 'Front desk' });
  const second = await createAgent(api, { name: 'Night desk' });
  const { status, body } = await api.ask('GET', '/v1/agents/names', undefined, READ_KEY);
  expect([status, body.data]).toEqual([
    200,
    [
      { id: second, name: 'Night desk' },
      { id: first, name: 'Front desk' },
    ],
  ]);
  const page = (await api.ask('GET', '/v1/agents/names?limit=1&use_cursor=true')).body;
  expect(page.data).toEqual([{ id: second, name: 'Night desk' }]);
  const rest = (await api.ask('GET', `/v1/agents/names?use_cursor=true&cursor=${page.next_cursor}`)).body;
  expect(rest.data).toEqual([{ id: first, name: 'Front desk' }]);
  expect((await api.ask('GET', '/v1/agents/names', undefined, OTHER_KEY)).body.data).toEqual([]);
});

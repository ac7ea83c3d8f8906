import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import { ApiClient } from '../service/rig/api-client.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { FROM, TO, talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';

const OTHER_NUMBER = '+33900000000';
const OTHER_KEY = 'tl_key_of_another_organization_0123456789';

let providers: EmulatedProviders;
let test: TestService;
let other: ApiClient;
let agentId: string;

beforeAll(async () => {
  providers = await startEmulatedProviders();
  test = await startTestService(providers.environment);
  agentId = (await test.api.createAgent(talker())).id;
  const { organizations } = test.service.repositories;
  const { id } = await organizations.addOrganization('Other', 0);
  const key = { key: OTHER_KEY, name: 'other', scopes: ['admin', 'read', 'write'], nowMs: 0 } as const;
  await organizations.addKey({ ...key, organizationId: id });
  other = new ApiClient(test.service.httpUrl, OTHER_KEY);
});
afterAll(async () => {
  await test.close();
  await providers.close();
});

const dial = async (to: string, callId: string) => {
  const target = { host: '127.0.0.1', port: test.sipPort };
  const headers = { 'X-Service-Call-Id': callId };
  const { statuses } = await call({ target, to, from: FROM, headers, maxDurationMs: 15_000, hangUp: { afterMs: 200 } });
  return statuses.at(-1);
};
const refusals = (api: ApiClient) => api.must(z.array(z.unknown()), 'GET', '/v1/sip/refusals');

it('who learned the id of a staged call cannot claim it by another number, and only its owner sees the attempt', async () => {
  const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
  expect(await dial(OTHER_NUMBER, callId)).toBe(404);
  expect(await refusals(test.api)).toEqual([
    {
      time: expect.any(String),
      cause: 'staged_number_differs',
      detail: null,
      status: 404,
      source: '127.0.0.1',
      from_number: '+33•••••••89',
      to_number: '+33•••••••00',
    },
  ]);
  expect(await refusals(other)).toEqual([]);
  expect(await dial(TO, callId)).toBe(200);
});

it('an INVITE with an unknown call id is shown to no organization that does not list its source', async () => {
  const before = await refusals(test.api);
  expect(await dial(OTHER_NUMBER, '5f0c2b36-0000-4000-8000-000000000000')).toBe(404);
  expect(await refusals(test.api)).toEqual(before);
  expect(await refusals(other)).toEqual([]);
});

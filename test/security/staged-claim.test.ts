import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import type { ApiClient } from '../service/rig/api-client.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { describeAttacks } from './attacked-service.ts';
import { otherOrganization } from './other-organization.ts';

const OTHER_NUMBER = '+33900000000';

const refusals = (api: ApiClient) => api.requestOk(z.array(z.unknown()), 'GET', '/v1/sip/refusals');

describeAttacks('a caller that knows ids of staged calls', {}, (service) => {
  let other: ApiClient;

  beforeAll(async () => {
    other = (await otherOrganization(service().test)).api;
  });

  const dial = async (to: string, callId: string) => {
    const target = { host: '127.0.0.1', port: service().test.sipPort };
    const headers = { 'X-Service-Call-Id': callId };
    const { statuses } = await call({
      target,
      to,
      from: FROM,
      headers,
      durationMsMax: 15_000,
      hangUp: { afterMs: 200 },
    });
    return statuses.at(-1);
  };

  it('a caller that knows the id of a staged call cannot claim it by another number, and only its owner sees the attempt', async () => {
    const { agentId, test } = service();
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
    const { test } = service();
    const before = await refusals(test.api);
    expect(await dial(OTHER_NUMBER, '5f0c2b36-0000-4000-8000-000000000000')).toBe(404);
    expect(await refusals(test.api)).toEqual(before);
    expect(await refusals(other)).toEqual([]);
  });
});

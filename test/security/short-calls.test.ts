import { expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { describeAttacks } from './attacked-service.ts';

const CALLS_MAX = 3;

describeAttacks('a source whose calls end at once', { SOURCE_MAX_CALLS: String(CALLS_MAX) }, (service) => {
  it('fills the records of an organization no faster than its limit, and the next calls get 486', async () => {
    const { agentId, test } = service();
    const number = { number: TO, name: 'Ours', inbound_agent_id: agentId };
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', number);
    const target = { host: '127.0.0.1', port: test.sipPort };
    const finals: (number | undefined)[] = [];
    for (let nth = 0; nth < CALLS_MAX + 2; nth++) {
      const { statuses } = await call({ target, to: TO, from: FROM, durationMsMax: 15_000, hangUp: { afterMs: 0 } });
      finals.push(statuses.at(-1));
    }
    expect(finals).toEqual([...Array.from({ length: CALLS_MAX }, () => 200), 486, 486]);
    expect(await test.api.requestOk(z.array(z.unknown()), 'GET', '/v1/calls')).toHaveLength(CALLS_MAX);
  });
});

import { expect, it } from 'vitest';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { describeAttacks } from './attacked-service.ts';

/** More variables than the journal of a call accepts at once. They fill a third of the largest body. */
const VARIABLES = 30_000;

describeAttacks('a call with thirty thousand variables', {}, (service) => {
  it.each(['/v1/calls/stage', '/v1/calls/web'])('is refused at %s', async (path) => {
    const { agentId, test } = service();
    const body = {
      agent_id: agentId,
      ...(path === '/v1/calls/stage' && { from_number: FROM, to_number: TO }),
      dynamic_variables_values: Object.fromEntries(Array.from({ length: VARIABLES }, (_, i) => [`v${i}`, i])),
    };
    const { status, body: answer } = await test.api.send('POST', path, body);
    expect([status, JSON.stringify(answer)]).toEqual([422, expect.stringContaining('dynamic_variables_values')]);
  });
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../sip/server/server-limits.ts';
import { eventually } from '../service/rig/eventually.ts';
import { SipPhone } from '../sip-endpoint/sip-phone.ts';
import { callWithoutAck } from '../sip-endpoint/unacknowledging-caller.ts';
import { describeAttacks } from './attacked-service.ts';
import { otherOrganization } from './other-organization.ts';

const { wrongGuessesMax, wrongGuessesPerSecond } = DEFAULT_LIMITS;
const TRIES = 3 * wrongGuessesMax;
/** INVITEs at once, so that no socket buffer overflows. */
const BATCH = 50;
/** Request-URI and To differ. */
const LOOK_UPS_PER_INVITE = 2;
const NUMBER = '+33155667788';
const refusals = z.array(z.looseObject({ cause: z.string() }));

describeAttacks('a flood from an address that another organization lists', {}, (service) => {
  it('costs a bounded number of queries and log lines, and leaves known numbers reachable', async () => {
    const { addTrunk, agentId, test } = service();
    const other = await otherOrganization(test);
    const trunk = { name: 'Own', termination_uri: 'carrier.example', allowed_addresses: ['127.0.0.1'] };
    await other.api.requestOk(z.unknown(), 'POST', '/v1/sip-trunks', trunk);
    const id = await addTrunk(trunk);
    const number = { number: NUMBER, name: 'Ours', trunk_id: id, inbound_agent_id: agentId };
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', number);
    const target = { host: '127.0.0.1', port: test.sipPort };
    const isAnswered = async () => {
      const caller = await callWithoutAck(target, NUMBER, {});
      onTestFinished(() => caller.close());
      await eventually(() => expect(caller.statuses.at(-1)).toBe(200));
    };
    await isAnswered();
    const lookUps = vi.spyOn(test.service.repositories.phoneNumbers, 'findByNumber');
    onTestFinished(() => lookUps.mockRestore());
    const beganMs = performance.now();
    const phone = await SipPhone.open(target);
    onTestFinished(() => phone.close());
    const answers = () => phone.unread.filter((message) => message.kind === 'response' && message.status === 404);
    // Read batch by batch: the service keeps the latest hundred, and on a busy machine the last ones stay within the limit.
    const causes = new Set<string>();
    for (let i = 1; i <= TRIES; i++) {
      phone.newCall().invite();
      if (i % BATCH !== 0) continue;
      await eventually(() => expect(answers().length).toBeGreaterThanOrEqual(i));
      const refused = await other.api.requestOk(refusals, 'GET', '/v1/sip/refusals');
      for (const { cause } of refused) causes.add(cause);
    }
    const allowed = () => wrongGuessesMax + ((performance.now() - beganMs) / 1_000) * wrongGuessesPerSecond;
    expect(lookUps.mock.calls.length).toBeLessThanOrEqual(LOOK_UPS_PER_INVITE * allowed());
    const lines = test
      .log()
      .split('\n')
      .filter((line) => line.includes('INVITE refused'));
    expect(lines.length).toBeLessThanOrEqual(allowed());
    // A machine that needs a minute for the flood stays within the limit.
    if (allowed() < TRIES) expect(causes).toContain('guess_limit');
    await isAnswered();
  });
});

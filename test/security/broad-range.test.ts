import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../../sip/server/server-limits.ts';
import { eventually } from '../service/rig/eventually.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { SipPhone } from '../sip-endpoint/sip-phone.ts';
import { callWithoutAck } from '../sip-endpoint/unacknowledging-caller.ts';
import { describeAttacks } from './attacked-service.ts';
import { otherOrganization } from './other-organization.ts';

/** More than the burst and its refill, on any machine. */
const TRIES = 3 * DEFAULT_LIMITS.wrongGuessesPerSourceMax;

describeAttacks('a trunk that lists the whole internet', {}, (service) => {
  it.each(['0.0.0.0/0', '0.0.0.0/1', '::/0', '198.0.0.0/15', '::ffff:0:0/96'])(
    'is refused with the range %s',
    async (range) => {
      const fields = { name: 'All', termination_uri: 'carrier.example', allowed_addresses: [range] };
      expect((await service().test.api.send('POST', '/v1/sip-trunks', fields)).status).toBe(422);
    },
  );
});

describeAttacks('a scanner from a range that a trunk lists', { SIP_BROAD_RANGES: '192.0.0.0/8' }, (service) => {
  it('gets no answer from outside it, and its guesses stay limited', async () => {
    const { addTrunk, test } = service();
    await addTrunk({ name: 'Wide', termination_uri: 'carrier.example', allowed_addresses: ['192.0.0.0/8'] });
    // Without a list it opens the service to unknown sources.
    await addTrunk({ name: 'Open', termination_uri: 'other.example' });
    const counted = async (counter: 'scanners' | 'invitesLimited'): Promise<void> => {
      const statistics = await test.service.sip.statistics();
      if ((statistics?.[counter] ?? 0) === 0)
        return new Promise((resolve) => setImmediate(() => resolve(counted(counter))));
    };
    const scanner = await SipPhone.open({ host: '127.0.0.1', port: test.sipPort });
    onTestFinished(() => scanner.close());
    scanner.newCall({ extra: ['User-Agent: friendly-scanner'] }).invite();
    await counted('scanners');
    // A response to the INVITE would come before this one.
    scanner.newCall().options();
    await scanner.nextResponse('OPTIONS', 200);
    expect(scanner.unread).toEqual([]);
    const phone = await SipPhone.open({ host: '127.0.0.1', port: test.sipPort });
    onTestFinished(() => phone.close());
    for (let i = 0; i < TRIES; i++) phone.newCall().invite();
    await counted('invitesLimited');
  });
});

describeAttacks('a source that only another organization lists', {}, (service) => {
  it('is refused even the right call after too many wrong guesses', async () => {
    const { agentId, test } = service();
    const other = await otherOrganization(test);
    const trunk = { name: 'Own', termination_uri: 'carrier.example', allowed_addresses: ['127.0.0.1'] };
    await other.api.requestOk(z.unknown(), 'POST', '/v1/sip-trunks', trunk);
    const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
    const phone = await SipPhone.open({ host: '127.0.0.1', port: test.sipPort });
    onTestFinished(() => phone.close());
    const guess = async () => {
      phone.newCall().invite();
      await phone.nextResponse('INVITE', 404);
    };
    const limited = async () => (await test.service.sip.statistics())?.invitesLimited ?? 0;
    // One after the other: a burst of all of them overflows the socket of a busy server.
    for (let i = 0; i < TRIES; i++) await guess();
    // Until a guess has used the token that was refilled last: the next one is a second away, on a busy machine too.
    for (let before = -1; before !== (await limited()); ) {
      before = await limited();
      await guess();
    }
    const caller = await callWithoutAck({ host: '127.0.0.1', port: test.sipPort }, TO, { 'X-Service-Call-Id': callId });
    onTestFinished(() => caller.close());
    await eventually(() => expect(caller.statuses.at(-1)).toBe(404));
  });
});

import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipRequest } from '../../sip/message/sip-message.ts';
import { OFFER } from '../sip/signalling/call-setup.ts';
import { SipPeer } from '../sip-endpoint/sip-peer.ts';
import { bindUdp } from '../udp-port.ts';
import { describeAttacks } from './attacked-service.ts';
import { otherOrganization } from './other-organization.ts';

const CALLED = '+33122222222';

/** `changed` replaces the header of its name. */
const withHeader = (request: SipRequest, changed: { readonly name: string; readonly value: string }): SipRequest => ({
  ...request,
  headers: request.headers.map((header) => (header.name === changed.name ? changed : header)),
});

describeAttacks('a peer that sends unusual messages', {}, (service) => {
  const openPeer = async () => {
    const peer = await SipPeer.open({ host: '127.0.0.1', port: service().test.sipPort });
    onTestFinished(() => peer.close());
    return peer;
  };

  it.each(['utf8', 'latin1'] as const)(
    'gets 400 for a Call-ID that is not ASCII (%s), and no call',
    async (encoding) => {
      const { agentId, test } = service();
      const fields = { number: CALLED, name: 'Ours', inbound_agent_id: agentId };
      const { id } = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/phone-numbers', fields);
      onTestFinished(async () => void (await test.api.send('DELETE', `/v1/phone-numbers/${id}`)));
      const before = await test.api.requestOk(z.array(z.unknown()), 'GET', '/v1/calls');
      const peer = await openPeer();
      const socket = await bindUdp('127.0.0.1');
      onTestFinished(() => void socket.close());
      const invite = withHeader(peer.invite(CALLED, OFFER), { name: 'Call-ID', value: `à-é-${encoding}@host` });
      const via = { name: 'Via', value: `SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK-${encoding}` };
      const bytes = Buffer.from(Buffer.from(serializeMessage(withHeader(invite, via))).toString(), encoding);
      socket.send(bytes, test.sipPort, '127.0.0.1');
      const [response]: Buffer[] = await once(socket, 'message');
      expect(response?.toString()).toMatch(/^SIP\/2\.0 400 /);
      expect(await test.api.requestOk(z.array(z.unknown()), 'GET', '/v1/calls')).toEqual(before);
    },
  );

  it('gets 405 for a PUBLISH, which stores nothing', async () => {
    const { test } = service();
    const before = await test.api.requestOk(z.array(z.unknown()), 'GET', '/v1/calls');
    const peer = await openPeer();
    const invite = withHeader(peer.invite(CALLED, ''), { name: 'CSeq', value: '1 PUBLISH' });
    peer.send({ ...invite, method: 'PUBLISH', headers: [...invite.headers, { name: 'Event', value: 'presence' }] });
    await peer.response(405, 'PUBLISH');
    expect(await test.api.requestOk(z.array(z.unknown()), 'GET', '/v1/calls')).toEqual(before);
  });
});

describeAttacks('an organization that probes for numbers of others', {}, (service) => {
  it('learns no more about a number of others than about its own, and cannot read, change or remove it', async () => {
    const { test } = service();
    const { api: other } = await otherOrganization(test);
    const taken = { number: CALLED, name: 'Ours' };
    const { id } = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/phone-numbers', taken);
    const ownConflict = await test.api.send('POST', '/v1/phone-numbers', taken);
    const foreignConflict = await other.send('POST', '/v1/phone-numbers', taken);
    expect([foreignConflict.status, foreignConflict.body]).toEqual([409, ownConflict.body]);
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
      expect((await other.send(method, `/v1/phone-numbers/${id}`, body)).status).toBe(404);
    }
    expect(await other.requestOk(z.array(z.unknown()), 'GET', '/v1/phone-numbers')).toEqual([]);
  });
});

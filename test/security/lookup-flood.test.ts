import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { LoopbackServer } from '../providers/loopback-server.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TO } from '../service/rig/staged-call.ts';
import { SipPeer } from '../sip-endpoint/sip-peer.ts';
import { SDP } from '../sip-endpoint/sip-phone.ts';
import { describeAttacks } from './attacked-service.ts';

const CALLS_MAX = 2;
const INVITES = 12;

describeAttacks('a flood of cancelled INVITEs of one source', { SOURCE_MAX_CALLS: String(CALLS_MAX) }, (service) => {
  it('occupies a lookup webhook with no more calls than the limit', async () => {
    const { agentId, test } = service();
    let lookups = 0;
    // Never answers.
    const receiver = await LoopbackServer.listen((request) => {
      request.resume();
      lookups += 1;
    });
    onTestFinished(() => receiver.close());
    await test.api.requestOk(z.unknown(), 'POST', `/v1/agents/${agentId}/webhook-secret`);
    const number = { number: TO, inbound_agent_id: agentId, lookup_webhook_url: `${receiver.origin}/` };
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', number);
    const peer = await SipPeer.open({ host: '127.0.0.1', port: test.sipPort });
    onTestFinished(() => void peer.close());
    const statuses: number[] = [];
    peer.onMessage = (message) => void (message.kind === 'response' && statuses.push(message.status));
    for (let i = 1; i <= CALLS_MAX; i++) {
      const invite = peer.invite(TO, SDP);
      peer.send(invite);
      await eventually(() => expect(lookups).toBe(i));
      peer.send(peer.cancel(invite));
      await eventually(() => expect(statuses).toContain(487));
    }
    for (let i = 0; i < INVITES; i++) peer.send(peer.invite(TO, SDP));
    await eventually(() => expect(statuses.filter((status) => status === 486).length).toBeGreaterThanOrEqual(INVITES));
    expect(lookups).toBe(CALLS_MAX);
  });
});

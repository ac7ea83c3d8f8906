import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { SERVERS } from './contract-server.ts';

const GREETING = 'Hello.';
const created = z.looseObject({ id: z.string() });

/** The whole service over each server: inbound calls of our own caller, and failover between trunks. */
describe.each(SERVERS)('the service over the $name', ({ settings }) => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    test = await startTestService({ ...providers.environment, ...settings });
    agentId = (await test.api.createAgent(talker({ initial_message: GREETING }))).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  it.each(['UDP', 'TCP'] as const)('answers a call over %s, which the caller ends', async (protocol) => {
    const { callId, said, hangUp } = await dialIn(test, agentId, { protocol });
    await said(GREETING);
    await hangUp();
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
  });

  it('ends a call on request', async () => {
    const { callId, said, report } = await dialIn(test, agentId);
    await said(GREETING);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    expect((await report).endedBy).toBe('callee');
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('terminated');
  });

  describe('an outbound call with two trunks', () => {
    let first: SipCallee;
    let second: SipCallee;
    let rtp: TalkingRtpPeer;
    const trunks: string[] = [];

    beforeEach(async () => {
      first = await SipCallee.open();
      second = await SipCallee.open();
      rtp = await TalkingRtpPeer.open('127.0.0.1');
      second.onRequest = (request) => {
        if (request.method !== 'INVITE') return request.method === 'ACK' || second.respond(request, 200, 'OK');
        rtp.take(Buffer.from(request.body).toString());
        second.respond(request, 200, 'OK', rtp.offer(['pcmu']));
      };
    });
    afterEach(async () => {
      for (const id of trunks.splice(0)) await test.api.send('DELETE', `/v1/sip-trunks/${id}`);
      first.close();
      second.close();
      rtp.close();
    });

    const createTrunk = async (fields: object) => {
      const { id } = await test.api.requestOk(created, 'POST', '/v1/sip-trunks', {
        name: 'Carrier',
        transport: 'udp',
        ...fields,
      });
      trunks.push(id);
      return id;
    };

    /** Calls through the first trunk, and expects the second one to answer. */
    async function callFailsOver(number: string, firstTrunk: object): Promise<void> {
      const trunkId = await createTrunk(firstTrunk);
      await createTrunk({ termination_uri: `127.0.0.1:${second.hop.port}`, priority: 1 });
      await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: trunkId });
      const request = { from_number: number, to_number: TO, agent_id: agentId };
      const { call_id: callId } = await test.api.requestOk(
        z.object({ call_id: z.string() }),
        'POST',
        '/v1/calls/phone',
        request,
      );
      await eventually(() => expect(second.methods()).toContain('ACK'));
      await test.api.callIn(callId, ['in_progress']);
      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      await test.api.callIn(callId, ['completed']);
      expect(second.methods()).toEqual(['INVITE', 'ACK', 'BYE']);
    }

    it.each([503, 408])('uses the second trunk if the first answers %i', async (status) => {
      first.onRequest = (request) => request.method === 'INVITE' && first.respond(request, status, 'No');
      await callFailsOver(`+33111111${status}`, { termination_uri: `127.0.0.1:${first.hop.port}` });
      expect(first.methods()).toEqual(['INVITE', 'ACK']);
    });

    it('uses the second trunk if the first is unreachable', async () => {
      await callFailsOver(FROM, { termination_uri: '127.0.0.1:9', transport: 'tcp' });
    });
  });
});

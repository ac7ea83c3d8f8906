import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { call } from '../../caller/caller.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const OURS = '+33111111111';
const withId = z.looseObject({ id: z.string() });

describe('a trunk', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    // The operator's own network: its trunks show why they are unreachable.
    test = await startTestService({ ...providers.environment, SIP_TRUNK_NETWORKS: '127.0.0.0/8' });
    agentId = (await test.api.createAgent(talker())).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const trunk = async (fields: object) => {
    const base = { name: 'Carrier', termination_uri: '127.0.0.1:9', transport: 'udp' };
    return (await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', { ...base, ...fields })).id;
  };
  const remove = (id: string) => test.api.requestOk(z.unknown(), 'DELETE', `/v1/sip-trunks/${id}`);
  const dial = async (callId: string, codecs: readonly ('pcmu' | 'pcma')[], durationMsMax = 5_000) =>
    call({
      target: { host: '127.0.0.1', port: test.sipPort },
      to: TO,
      from: FROM,
      headers: { 'X-Service-Call-Id': callId },
      codecs,
      durationMsMax,
      hangUp: { afterMs: 100 },
    });
  const stage = () => test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });

  it('answers an offer without keys with 488 if it requires SRTP, and the staged call stays available', async () => {
    const id = await trunk({ allowed_addresses: ['127.0.0.1'], srtp: 'required' });
    const callId = await stage();
    expect((await dial(callId, ['pcmu'])).statuses.at(-1)).toBe(488);
    expect((await test.api.call(callId)).status).toBe('staged');
    await remove(id);
  });

  it('with one codec answers in that codec, and refuses an offer without it', async () => {
    const id = await trunk({ allowed_addresses: ['127.0.0.1'], codecs: ['pcma'] });
    const callId = await stage();
    expect((await dial(callId, ['pcmu'])).statuses.at(-1)).toBe(488);
    const { ladder, statuses } = await dial(callId, ['pcmu', 'pcma']);
    expect(statuses.at(-1)).toBe(200);
    expect(ladder.join('\n')).not.toContain('488');
    await remove(id);
  });

  it('drops an INVITE from an address that it does not list, and the staged call stays available', async () => {
    const id = await trunk({ allowed_addresses: ['192.0.2.0/24'] });
    const callId = await stage();
    const { statuses } = await dial(callId, ['pcmu'], 1_200);
    expect(statuses).toEqual([]);
    expect((await test.service.sip.statistics())?.unknownSources).toBeGreaterThan(1);
    expect((await test.api.call(callId)).status).toBe('staged');
    await remove(id);
    expect((await dial(callId, ['pcmu'])).statuses.at(-1)).toBe(200);
  });

  it('offers its own codecs and SRTP keys as a failover trunk', async () => {
    const [first, second] = [await SipCallee.open(), await SipCallee.open()];
    const at = ({ hop }: SipCallee) => `127.0.0.1:${hop.port}`;
    const refusing = (uas: SipCallee, status: number) => (request: SipRequest) => {
      if (request.method === 'INVITE') uas.respond(request, status, 'No');
    };
    first.onRequest = refusing(first, 503);
    second.onRequest = refusing(second, 486);
    const trunkId = await trunk({ termination_uri: at(first), codecs: ['pcma'] });
    const next = await trunk({ termination_uri: at(second), codecs: ['g722'], srtp: 'required', priority: 1 });
    await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', { number: OURS, name: 'Ours', trunk_id: trunkId });
    await test.api.requestOk(z.unknown(), 'POST', '/v1/calls/phone', {
      from_number: OURS,
      to_number: TO,
      agent_id: agentId,
    });
    const offerOf = (uas: SipCallee) => Buffer.from(uas.requests[0]?.body ?? []).toString();
    await eventually(async () => expect(second.requests.length).toBeGreaterThan(0));
    expect(offerOf(first)).toMatch(/^m=audio \d+ RTP\/AVP 8 101\r$/m);
    expect(offerOf(first)).not.toContain('a=crypto');
    expect(offerOf(second)).toMatch(/^m=audio \d+ RTP\/SAVP 9 101\r$/m);
    expect(offerOf(second)).toContain('a=crypto');
    first.close();
    second.close();
    await remove(trunkId);
    await remove(next);
  });

  it('is tried after a healthy one while it answers OPTIONS with 503', async () => {
    const [first, second] = [await SipCallee.open(), await SipCallee.open()];
    const at = ({ hop }: SipCallee) => `127.0.0.1:${hop.port}`;
    const answering = (uas: SipCallee, status: number) => (request: SipRequest) => {
      uas.respond(request, request.method === 'OPTIONS' ? status : 486, 'So');
    };
    first.onRequest = answering(first, 503);
    second.onRequest = answering(second, 200);
    const trunkId = await trunk({ termination_uri: at(first), options_interval: 60 });
    const next = await trunk({ termination_uri: at(second), options_interval: 60, priority: 1 });
    const stateOf = async (id: string) =>
      (await test.api.requestOk(z.looseObject({ reachability: z.unknown() }), 'GET', `/v1/sip-trunks/${id}`))
        .reachability;
    await eventually(async () => {
      expect(await stateOf(trunkId)).toMatchObject({ reachable: false, status: 503, since: expect.any(String) });
      expect(await stateOf(next)).toMatchObject({ reachable: true, status: 200, round_trip_ms: expect.any(Number) });
    });
    const { port } = test.service.metricsAddress ?? { port: 0 };
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain(`trunkline_trunk_reachable{trunk="${trunkId}"} 0`);
    expect(metrics).toContain(`trunkline_trunk_reachable{trunk="${next}"} 1`);

    const number = '+33987650001';
    await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: trunkId });
    const dialled = async () => {
      const order = { from_number: number, to_number: TO, agent_id: agentId };
      const { call_id: callId } = await test.api.requestOk(
        z.object({ call_id: z.string() }),
        'POST',
        '/v1/calls/phone',
        order,
      );
      await test.api.callIn(callId, ['busy']);
    };
    const invites = ({ requests }: SipCallee) => requests.filter(({ method }) => method === 'INVITE').length;
    await dialled();
    expect([invites(first), invites(second)], 'only the reachable trunk').toEqual([0, 1]);

    first.onRequest = answering(first, 200);
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { options_interval: 61 });
    await eventually(async () => expect(await stateOf(trunkId)).toMatchObject({ reachable: true, status: 200 }));
    await dialled();
    expect([invites(first), invites(second)], 'the preferred trunk again').toEqual([1, 1]);
    first.close();
    second.close();
    await remove(trunkId);
    await remove(next);
  });

  it('limited to one call accepts the first request and answers the next with 503', async () => {
    const uas = await SipCallee.open();
    uas.onRequest = (request) => uas.respond(request, 180, 'Ringing');
    const trunkId = await trunk({ termination_uri: `127.0.0.1:${uas.hop.port}`, max_concurrent_calls: 1 });
    const number = '+33987650002';
    await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: trunkId });
    const order = { from_number: number, to_number: TO, agent_id: agentId };
    const requestCall = async () => (await test.api.send('POST', '/v1/calls/phone', order)).status;
    expect([await requestCall(), await requestCall(), await requestCall()]).toEqual([201, 503, 503]);

    const busy = (request: SipRequest) => uas.respond(request, 486, 'Busy Here');
    await eventually(async () => expect(uas.requests.length).toBeGreaterThan(0));
    uas.onRequest = busy;
    for (const request of uas.requests.slice(0, 1)) busy(request);
    await eventually(async () => expect(await requestCall()).toBe(201));
    await eventually(() => Promise.resolve(expect(test.service.liveCalls()).toBe(0)));
    uas.close();
    await remove(trunkId);
  });

  it('logs once that INVITEs of unlisted addresses get no answer', async () => {
    const warnings = () => test.log().match(/"answered":\["203\.0\.113\.0\/24"\]/g)?.length ?? 0;
    expect(warnings()).toBe(0);
    const id = await trunk({ allowed_addresses: ['203.0.113.0/24'] });
    await eventually(() => Promise.resolve(expect(warnings()).toBe(1)));
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${id}`, { max_concurrent_calls: 3 });
    await remove(id);
    expect(warnings()).toBe(1);
  });
});

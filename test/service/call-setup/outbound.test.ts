import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { FINAL_STATUSES } from '../rig/api-client.ts';
import { ladderOf } from '../rig/call-ladder.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { inviteTo } from '../rig/transfer-target.ts';

describe('an outbound call', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  let uas: SipCallee;
  let rtp: TalkingRtpPeer;

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    // Calls to listed networks say why they failed.
    const settings = { RING_TIMEOUT_SECONDS: '5', SIP_TRUNK_NETWORKS: '127.0.0.0/8' };
    test = await startTestService({ ...providers.environment, ...settings });
    agentId = (await test.api.createAgent(talker())).id;
    uas = await SipCallee.open();
    const trunk = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${uas.hop.port}`,
      transport: 'udp',
    });
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', {
      number: FROM,
      name: 'Ours',
      trunk_id: trunk.id,
    });
  });
  afterAll(async () => {
    uas?.close();
    await test?.close();
    await providers?.close();
  });
  beforeEach(async () => {
    rtp = await TalkingRtpPeer.open('127.0.0.1');
    uas.requests.length = 0;
  });
  afterEach(() => rtp.close());

  /** Sets how the callee handles an INVITE. It answers everything else with 200. */
  const callee = (onInvite: (invite: SipRequest) => void) => {
    uas.onRequest = (request) => {
      if (request.method === 'INVITE') onInvite(request);
      else if (request.method !== 'ACK') uas.respond(request, 200, 'OK');
      if (request.method === 'CANCEL') {
        const invite = uas.requests.find(({ method }) => method === 'INVITE');
        if (invite !== undefined) uas.respond(invite, 487, 'Request Terminated');
      }
    };
  };
  const dial = async (more: object = {}): Promise<string> => {
    const request = { from_number: FROM, to_number: TO, agent_id: agentId, ...more };
    return (await test.api.requestOk(z.object({ call_id: z.string() }), 'POST', '/v1/calls/phone', request)).call_id;
  };

  it.each(['+499001234567', '+19005550123'])('to a premium number is refused and not dialled: %s', async (to) => {
    const request = { from_number: FROM, to_number: to, agent_id: agentId };
    const { status, body } = await test.api.send('POST', '/v1/calls/phone', request);
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: { type: 'validation_error', details: [{ field: 'to_number' }] } });
    expect(uas.requests).toEqual([]);
  });

  it('rings, is answered, speaks, and ends with a BYE when terminated', async () => {
    callee((invite) => {
      uas.respond(invite, 180, 'Ringing');
      uas.respond(invite, 200, 'OK', rtp.offer(['pcma']));
    });
    const callId = await dial({
      custom_headers: { 'X-Campaign': 'autumn', 'P-Asserted-Identity': '<sip:+33111111111@x>' },
    });
    await test.api.callIn(callId, ['in_progress']);
    const [invite] = uas.requests;
    if (invite === undefined) throw new Error('the callee received no INVITE');
    expect(invite.uri).toContain(TO);
    expect(getHeader(invite.headers, 'X-Campaign')).toBe('autumn');
    expect(getHeader(invite.headers, 'P-Asserted-Identity')).toBe('<sip:+33111111111@x>');
    await eventually(async () => {
      expect(rtp.report().received).toBeGreaterThan(10);
      expect((await test.api.call(callId)).transcript?.[0]?.role).toBe('agent');
    });
    expect(rtp.report().payloadTypes).toEqual([8]);

    expect((await test.api.send('POST', `/v1/calls/${callId}/terminate`)).status).toBe(200);
    expect(await test.api.callIn(callId, FINAL_STATUSES)).toMatchObject({
      status: 'completed',
      end_reason: 'terminated',
    });
    await eventually(() => expect(uas.methods().at(-1)).toBe('BYE'));
    expect((await test.api.send('POST', `/v1/calls/${callId}/terminate`)).status, 'again').toBe(200);
  });

  it("has its trunk's user and domain in From, and the number in P-Preferred-Identity", async () => {
    const fields = { name: 'PBX', termination_uri: `127.0.0.1:${uas.hop.port}` };
    const from = { from_user: 'line-7', from_domain: 'pbx.example' };
    const id = z.looseObject({ id: z.string() });
    const trunk = await test.api.requestOk(id, 'POST', '/v1/sip-trunks', { ...fields, ...from });
    const number = '+33188888888';
    await test.api.requestOk(id, 'POST', '/v1/phone-numbers', { number, name: 'Line', trunk_id: trunk.id });
    callee((invite) => uas.respond(invite, 486, 'Busy Here'));
    await test.api.callIn(await dial({ from_number: number }), FINAL_STATUSES);
    const { headers } = inviteTo(uas);
    expect(getHeader(headers, 'From')).toMatch(/^<sip:line-7@pbx\.example>;tag=/);
    expect(getHeader(headers, 'P-Preferred-Identity')).toBe(`<sip:${number}@pbx.example>`);
  });

  it.each([
    { status: 486, reason: 'Busy Here', ends: { status: 'busy', end_reason: 'busy' } },
    { status: 603, reason: 'Decline', ends: { status: 'busy', end_reason: 'busy' } },
    { status: 480, reason: 'Temporarily Unavailable', ends: { status: 'no_answer', end_reason: 'no_answer' } },
    { status: 404, reason: 'Not Found', ends: { status: 'failed', end_reason: 'rejected' } },
    { status: 503, reason: 'Service Unavailable', ends: { status: 'failed', end_reason: 'sip_error' } },
  ])('ends as $ends.status when it is refused with $status', async ({ status, reason, ends }) => {
    callee((invite) => uas.respond(invite, status, reason));
    const callId = await dial();
    const detail = { metrics: { end_detail: `SIP ${status} ${reason}` } };
    expect(await test.api.callIn(callId, FINAL_STATUSES)).toMatchObject({ ...ends, ...detail });
    await eventually(async () =>
      expect((await ladderOf(test, callId)).legs).toEqual({ callee: ['INVITE', `${status}`, 'ACK'] }),
    );
  });

  it('follows a redirect to an allowed number, and its record names the number', async () => {
    const moved = '+33155555555';
    callee((invite) => {
      if (invite.uri.includes(TO))
        uas.respond(invite, 302, 'Moved', null, [{ name: 'Contact', value: `<sip:${moved}@192.0.2.7>` }]);
      else uas.respond(invite, 200, 'OK', rtp.offer(['pcma']));
    });
    const callId = await dial();
    await test.api.callIn(callId, ['in_progress']);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    const record = await test.api.callIn(callId, FINAL_STATUSES);
    expect(record).toMatchObject({ status: 'completed', to_number: TO, redirect_target: moved });
    const invites = uas.requests.filter(({ method }) => method === 'INVITE');
    expect(invites.map(({ uri }) => uri)).toEqual([TO, moved].map((to) => `sip:${to}@127.0.0.1:${uas.hop.port}`));
  });

  it.each(['sip:+19005551234@127.0.0.1', 'tel:+499001234567', 'sip:911@127.0.0.1', 'sip:desk@192.0.2.7'])(
    'ends as redirected, with the target in its record, when the target is not dialled: %s',
    async (target) => {
      callee((invite) => uas.respond(invite, 302, 'Moved', null, [{ name: 'Contact', value: `<${target}>` }]));
      const callId = await dial();
      expect(await test.api.callIn(callId, FINAL_STATUSES)).toMatchObject({
        status: 'failed',
        end_reason: 'redirected',
        redirect_target: target,
        metrics: { end_detail: expect.stringMatching(/^SIP 302: .+ is not dialled: .+/) },
      });
      expect(uas.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
    },
  );
  it('has the reason of a Reason header in its end_detail', async () => {
    const header = { name: 'Reason', value: 'Q.850;cause=21;text="barred"' };
    callee((invite) => uas.respond(invite, 403, 'Forbidden', null, [header]));
    const ended = await test.api.callIn(await dial(), FINAL_STATUSES);
    expect(ended.metrics).toMatchObject({ end_detail: 'SIP 403 Forbidden: Q.850 21 (barred)' });
  });

  it.each([
    ['tcp', '127.0.0.1:9', 'SIP 503 Service Unavailable: connection refused: tcp 127.0.0.1:9'],
    ['udp', 'no-such-host.invalid', 'cannot resolve the host no-such-host.invalid'],
  ])('to an unreachable trunk names it in its end_detail: %s %s', async (transport, termination_uri, end_detail) => {
    const withId = z.looseObject({ id: z.string() });
    const order = { name: 'Nowhere', termination_uri, transport };
    const { id } = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', order);
    const from = { number: '+33111111111', trunk_id: id };
    const number = await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', from);
    const ended = await test.api.callIn(await dial({ from_number: from.number }), FINAL_STATUSES);
    expect(ended).toMatchObject({ end_reason: 'sip_error', metrics: { end_detail } });
    await test.api.send('DELETE', `/v1/phone-numbers/${number.id}`);
    await test.api.send('DELETE', `/v1/sip-trunks/${id}`);
  });

  it('is cancelled after the ring timeout when unanswered', async () => {
    callee((invite) => uas.respond(invite, 180, 'Ringing'));
    const callId = await dial();
    await test.api.callIn(callId, ['ringing']);
    expect(await test.api.callIn(callId, FINAL_STATUSES)).toMatchObject({
      status: 'no_answer',
      end_reason: 'no_answer',
      metrics: { end_detail: 'no answer within the ring timeout' },
    });
    expect(uas.methods()).toContain('CANCEL');
    await eventually(async () =>
      expect((await ladderOf(test, callId)).legs.callee).toEqual(
        expect.arrayContaining(['INVITE', '180', 'CANCEL', '200', '487', 'ACK']),
      ),
    );
  });

  it('is cancelled when terminated while it rings', async () => {
    callee((invite) => uas.respond(invite, 180, 'Ringing'));
    const callId = await dial();
    await test.api.callIn(callId, ['ringing']);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    expect(await test.api.callIn(callId, FINAL_STATUSES)).toMatchObject({ status: 'canceled', end_reason: 'canceled' });
    await eventually(() => expect(uas.methods()).toContain('CANCEL'));
  });

  it.each([{ 'X-Campaign': 'autumn\r\nX-Evil: 1' }, { Via: 'SIP/2.0/UDP 1.2.3.4' }, { Contact: '<sip:evil@1.2.3.4>' }])(
    'is not placed with the custom headers %j',
    async (custom_headers) => {
      callee(() => {});
      const request = { from_number: FROM, to_number: TO, agent_id: agentId, custom_headers };
      const answer = await test.api.send('POST', '/v1/calls/phone', request);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).toContain(Object.keys(custom_headers)[0]);
      // A repeated ACK of an earlier call may still arrive.
      expect(uas.methods()).not.toContain('INVITE');
    },
  );
});

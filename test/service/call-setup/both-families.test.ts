import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeAlaw, decodeMulaw } from '../../../base/audio/g711.ts';
import { localAddresses } from '../../../base/network/local-addresses.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { call } from '../../caller/caller.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { makeTone, measureTone, rootMeanSquare } from '../../rtp-peer/tone.ts';
import { otherOrganization } from '../../security/other-organization.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { hostPortOf } from '../../sip-endpoint/sip-transport.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, FROM, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const withId = z.looseObject({ id: z.string() });
const LOOPBACKS = [
  { host: '127.0.0.1', version: 'IP4', toneHz: 700 },
  { host: '::1', version: 'IP6', toneHz: 1_100 },
] as const;
const CALLEE = '+33155555555';
/** Longer than the test. */
const TONE_MS = 30_000;
/** Root mean square of a heard tone, of 4,000 while it is played. */
const TONE_LEVEL = 400;

const hasIpv6 = localAddresses().includes('::1');

describe.skipIf(!hasIpv6)('a service on SIP_BIND=:: (skipped without the address ::1)', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  /** SIP messages in both directions, by remote address and port. */
  const messages: { readonly remote: string; readonly text: string }[] = [];

  beforeAll(async () => {
    providers = await startEmulatedProviders({ keepAudio: true });
    test = await startTestService(
      { ...providers.environment, SIP_BIND: '::' },
      { onTrace: ({ bytes, remote }) => messages.push({ remote, text: new TextDecoder().decode(bytes) }) },
    );
    agentId = (await test.api.createAgent(talker({ initial_message: 'Hello.' }))).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  /** The tones of callers that each transcriber heard, in Hz. */
  const heardTones = () =>
    providers.deepgram.listens.map(({ audio, query }) => {
      const bytes = Buffer.concat([...audio]);
      const samples = new Int16Array(bytes.length);
      (query.get('encoding') === 'alaw' ? decodeAlaw : decodeMulaw)(bytes, 0, bytes.length, samples);
      return LOOPBACKS.map(({ toneHz }) => toneHz).filter((toneHz) => measureTone(samples, toneHz).level > TONE_LEVEL);
    });

  it('talks to a caller over IPv4 and one over IPv6 at the same time', async () => {
    const calls = await Promise.all(
      LOOPBACKS.map(async ({ host, version, toneHz }) => {
        const target = { host, port: test.sipPort };
        const rtp = await TalkingRtpPeer.open(host);
        return { version, rtp, call: await dialIn(test, agentId, { target, rtp, audio: makeTone(toneHz, TONE_MS) }) };
      }),
    );
    await eventually(() => {
      for (const { rtp, version } of calls) expect(rootMeanSquare(rtp.heard()), version).toBeGreaterThan(0);
      expect(heardTones().sort()).toEqual([[1_100], [700]]);
    });
    for (const { call, version } of calls) {
      const { sipCallId } = await call.hangUp();
      const answer = messages.find(({ text }) => text.startsWith('SIP/2.0 200') && text.includes(sipCallId));
      expect(answer?.text).toContain(`\r\nc=IN ${version} `);
      expect(answer?.text).toMatch(version === 'IP6' ? /^Contact: <sip:[^>]*@\[.*\]:/m : /^Contact: <sip:[^>[]*>/m);
    }
    expect(messages.filter(({ remote, text }) => `${remote}${text}`.includes('::ffff:'))).toEqual([]);
  });

  it('talks to a caller whose media is of the other family than its signalling', async () => {
    const rtp = await TalkingRtpPeer.open('::1');
    const target = { host: '127.0.0.1', port: test.sipPort };
    const { hangUp } = await dialIn(test, agentId, { target, rtp });
    await eventually(() => expect(rtp.report().received).toBeGreaterThan(10));
    const { sipCallId } = await hangUp();
    const answer = messages.find(({ text }) => text.startsWith('SIP/2.0 200') && text.includes(sipCallId));
    expect(answer?.text).toContain('\r\nc=IN IP6 ');
  });

  it('talks to a caller over TCP on IPv6', async () => {
    const target = { host: '::1', port: test.sipPort };
    const rtp = await TalkingRtpPeer.open('::1');
    const { hangUp } = await dialIn(test, agentId, { target, rtp, protocol: 'TCP' });
    await eventually(() => expect(rtp.report().received).toBeGreaterThan(10));
    expect((await hangUp()).endedBy).toBe('caller');
  });

  describe.each([
    { ...LOOPBACKS[0], number: '+33987650101' },
    { ...LOOPBACKS[1], number: '+33987650102' },
  ])('on a trunk at $host', ({ host, version, number }) => {
    let callee: SipCallee;
    let rtp: TalkingRtpPeer;

    beforeEach(async () => {
      callee = await SipCallee.open(host);
      rtp = await TalkingRtpPeer.open(host);
      const trunk = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', {
        name: 'Carrier',
        termination_uri: hostPortOf(callee.hop),
        transport: 'udp',
      });
      await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: trunk.id });
    });
    afterEach(() => {
      callee.close();
      rtp.close();
    });

    it('places a call, keeps it over hold and resume, and ends it', async () => {
      const description = rtp.offer(['pcma']);
      callee.onRequest = (request) => {
        if (request.method === 'INVITE') callee.respond(request, 200, 'OK', description);
        else if (request.method !== 'ACK') callee.respond(request, 200, 'OK');
      };
      const request = { from_number: number, to_number: CALLEE, agent_id: agentId };
      const placed = z.object({ call_id: z.string() });
      const { call_id: callId } = await test.api.requestOk(placed, 'POST', '/v1/calls/phone', request);
      await test.api.callIn(callId, ['in_progress']);
      const [invite] = callee.requests;
      if (invite === undefined) throw new Error('the callee received no INVITE');
      expect(rtp.take(new TextDecoder().decode(invite.body))).toBe(true);
      rtp.start(new Int16Array(0), () => {});
      await eventually(() => expect(rtp.report().received).toBeGreaterThan(10));
      const own = version === 'IP6' ? /<sip:[^>]*\[[0-9a-f:]+\]:\d+>/ : /<sip:[^>[]*\d:\d+>/;
      expect(getHeader(invite.headers, 'Contact')).toMatch(own);
      expect(new TextDecoder().decode(invite.body)).toContain(`\r\nc=IN ${version} `);

      const held = await reofferedBy(callee, invite, description.replace('sendrecv', 'sendonly'));
      expect(held).toContain('a=recvonly');
      expect(held).toContain(`c=IN ${version} `);
      expect(await reofferedBy(callee, invite, description)).toContain('a=sendrecv');
      const { received } = rtp.report();
      await eventually(() => expect(rtp.report().received).toBeGreaterThan(received + 10));

      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      await eventually(() => expect(callee.methods().at(-1)).toBe('BYE'));
    });
  });

  /** Sends a re-INVITE and its ACK. @returns the answer. */
  async function reofferedBy(callee: SipCallee, invite: SipRequest, offer: string): Promise<string> {
    const sent = messages.length;
    const contact = { name: 'Contact', value: `<sip:uas@${hostPortOf(callee.hop)}>` };
    callee.request(invite, 'INVITE', [contact, { name: 'Content-Type', value: 'application/sdp' }], offer);
    const text = await eventually(() => {
      const answer = messages.slice(sent).find(({ text }) => text.startsWith('SIP/2.0 200') && / INVITE\r/.test(text));
      if (answer === undefined) throw new Error('the re-INVITE has no answer');
      return answer.text;
    });
    callee.request(invite, 'ACK');
    return text;
  }
});

describe.skipIf(!hasIpv6)('allowed addresses on SIP_BIND=:: (skipped without the address ::1)', () => {
  let providers: EmulatedProviders;
  let test: TestService;

  beforeEach(async () => {
    providers = await startEmulatedProviders();
    test = await startTestService({ ...providers.environment, SIP_BIND: '::' });
  });
  afterEach(async () => {
    await test.close();
    await providers.close();
  });

  it.each([
    { allowed: '127.0.0.1', taken: '127.0.0.1', refused: '::1', number: '+33987650201' },
    { allowed: '::ffff:127.0.0.1', taken: '127.0.0.1', refused: '::1', number: '+33987650202' },
    { allowed: '0:0:0:0:0:0:0:1', taken: '::1', refused: '127.0.0.1', number: '+33987650203' },
  ])('$allowed allow $taken and refuse $refused', async ({ allowed, taken, refused, number }) => {
    const agent = await test.api.createAgent(talker());
    const trunk = {
      name: 'Carrier',
      termination_uri: '192.0.2.1:5060',
      transport: 'udp',
      allowed_addresses: [allowed],
    };
    const { id } = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', trunk);
    const own = { number, name: 'Ours', trunk_id: id, inbound_agent_id: agent.id };
    await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', own);
    // An organization without a trunk takes calls from anywhere, so the refused caller gets an answer.
    const { api } = await otherOrganization(test);
    await api.createAgent(talker());
    const dial = (host: string) =>
      call({ target: { host, port: test.sipPort }, to: number, from: FROM, hangUp: { afterMs: 200 } });
    expect((await dial(refused)).statuses.at(-1)).toBe(404);
    expect((await dial(taken)).statuses.at(-1)).toBe(200);
  });
});

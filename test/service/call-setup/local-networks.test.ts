import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { bindUdp } from '../../udp-port.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const EXTERNAL = '203.0.113.7';
const CALLEE = '+33155555555';

let providers: EmulatedProviders;
let test: TestService;

beforeAll(async () => {
  providers = await startEmulatedProviders();
  test = await startTestService({
    ...providers.environment,
    SIP_BIND: '0.0.0.0',
    SIP_EXTERNAL_ADDRESS: EXTERNAL,
    SIP_LOCAL_NETWORKS: '127.0.0.2,10.0.0.0/8',
  });
});
afterAll(async () => {
  await test?.close();
  await providers?.close();
});

it.each([
  { peer: '127.0.0.2', advertised: '127.0.0.1', number: '+33987650002' },
  { peer: '127.0.0.3', advertised: EXTERNAL, number: '+33987650003' },
])(
  'a call to $peer names $advertised in Via, Contact and SDP, also within the dialog',
  async ({ peer, advertised, number }) => {
    const callee = await SipCallee.open(peer);
    const id = z.looseObject({ id: z.string() });
    const agent = await test.api.createAgent(talker());
    const trunk = await test.api.requestOk(id, 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `${peer}:${callee.hop.port}`,
      transport: 'udp',
    });
    await test.api.requestOk(id, 'POST', '/v1/phone-numbers', { number, name: 'Ours', trunk_id: trunk.id });
    callee.onRequest = (request) => {
      if (request.method === 'INVITE') callee.respond(request, 200, 'OK', sdpOf(peer));
      else if (request.method !== 'ACK') callee.respond(request, 200, 'OK');
    };
    const request = { from_number: number, to_number: CALLEE, agent_id: agent.id };
    const { call_id: callId } = await test.api.requestOk(
      z.object({ call_id: z.string() }),
      'POST',
      '/v1/calls/phone',
      request,
    );
    await test.api.callIn(callId, ['in_progress']);
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    await eventually(() => expect(callee.methods().at(-1)).toBe('BYE'));

    const [invite] = callee.requests;
    expect(getHeader(invite?.headers ?? [], 'Contact')).toContain(`${advertised}:${test.sipPort}`);
    expect(Buffer.from(invite?.body ?? []).toString()).toContain(`\r\nc=IN IP4 ${advertised}\r\n`);
    for (const request of callee.requests) {
      expect(getHeader(request.headers, 'Via')).toContain(`SIP/2.0/UDP ${advertised}:${test.sipPort};`);
    }
    callee.close();
  },
);

it.each([
  { peer: '127.0.0.2', advertised: '127.0.0.1', number: '+33987650012' },
  { peer: '127.0.0.3', advertised: EXTERNAL, number: '+33987650013' },
])('a call from $peer is answered with $advertised in Contact and SDP', async ({ peer, advertised, number }) => {
  const agent = await test.api.createAgent(talker());
  const phoneNumber = { number, name: 'Ours', inbound_agent_id: agent.id };
  await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', phoneNumber);
  const socket = await bindUdp(peer);
  const received: string[] = [];
  socket.on('message', (bytes) => received.push(bytes.toString()));
  const localHop = `${peer}:${socket.address().port}`;
  const send = (method: string, cseq: number, to: string, body = '') => {
    const lines = [
      `${method} sip:${number}@127.0.0.1:${test.sipPort} SIP/2.0`,
      `Via: SIP/2.0/UDP ${localHop};branch=z9hG4bK${method}`,
      'Max-Forwards: 70',
      `From: <sip:them@${localHop}>;tag=a`,
      to,
      `Call-ID: of-${peer}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <sip:them@${localHop}>`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
    ];
    socket.send(`${lines.join('\r\n')}\r\n\r\n${body}`, test.sipPort, '127.0.0.1');
  };
  const answerTo = (cseq: string) =>
    eventually(() => {
      const response = received.find((text) => text.startsWith('SIP/2.0 200') && text.includes(`CSeq: ${cseq}`));
      if (response === undefined) throw new Error(`no 200 to ${cseq} in ${received.join('')}`);
      return response;
    });
  send('INVITE', 1, `To: <sip:${number}@127.0.0.1>`, sdpOf(peer));
  const answer = await answerTo('1 INVITE');
  const to = /^To: .*$/m.exec(answer)?.[0].trimEnd() ?? '';
  send('ACK', 1, to);
  send('BYE', 2, to);
  await answerTo('2 BYE');
  socket.close();
  expect(answer).toMatch(new RegExp(`^Contact: <sip:[^>]*${advertised.replaceAll('.', '\\.')}:${test.sipPort}>`, 'm'));
  expect(answer).toContain(`\r\nc=IN IP4 ${advertised}\r\n`);
});

function sdpOf(host: string): string {
  return [
    'v=0',
    `o=- 1 1 IN IP4 ${host}`,
    's=-',
    `c=IN IP4 ${host}`,
    't=0 0',
    'm=audio 40000 RTP/AVP 0',
    'a=rtpmap:0 PCMU/8000',
    '',
  ].join('\r\n');
}

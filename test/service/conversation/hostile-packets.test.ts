import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SipMessage, SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const NOISE_PACKETS = 300;

/** An INVITE as text. `lines` replace or add header fields. */
function invite(port: number, lines: Readonly<Record<string, string>>): string {
  const headers: Record<string, string> = {
    Via: `SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${randomBytes(6).toString('hex')}`,
    From: `<sip:stranger@127.0.0.1:${port}>;tag=${randomBytes(4).toString('hex')}`,
    To: '<sip:+33987654321@127.0.0.1>',
    'Call-ID': randomBytes(8).toString('hex'),
    CSeq: '1 INVITE',
    Contact: `<sip:stranger@127.0.0.1:${port}>`,
    'Max-Forwards': '70',
    'Content-Length': '0',
    ...lines,
  };
  const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `INVITE sip:+33987654321@127.0.0.1 SIP/2.0\r\n${text.join('')}\r\n`;
}

const isFinalResponse = (message: SipMessage): message is SipResponse =>
  message.kind === 'response' && message.status >= 200;

describe('hostile input during a call', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  /** RTP ports of all calls so far. */
  const rtpPorts = new Set<number>();

  beforeAll(async () => {
    providers = await startEmulatedProviders();
    test = await startTestService(providers.environment, {
      onTrace: ({ bytes }) => {
        const [, port] = /^SIP\/2\.0 200 .*\nm=audio (\d+) /s.exec(new TextDecoder().decode(bytes)) ?? [];
        if (port !== undefined) rtpPorts.add(Number(port));
      },
    });
    agentId = (await test.api.createAgent(talker())).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const duringCall = async (attack: () => Promise<void>) => {
    const { callId, report } = await dialIn(test, agentId, { hangUp: { afterMs: 2_000 } });
    await attack();
    const { endedBy, rtp } = await report;
    expect(endedBy).toBe('caller');
    expect(rtp.lost, 'no packet of the call was lost').toBe(0);
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
  };

  it('a malformed INVITE is refused and disturbs no call', async () => {
    const peer = await SipPeer.open({ host: '127.0.0.1', port: test.sipPort });
    await duringCall(async () => {
      peer.send(Buffer.from(invite(peer.port, { CSeq: 'one INVITE' })));
      peer.send(Buffer.from(invite(peer.port, { To: '<sip:unclosed' })));
      peer.send(Buffer.from(invite(peer.port, { 'Content-Length': '500' })));
      const refused = await peer.next((message) => message.kind === 'response');
      expect(refused).toMatchObject({ status: 400 });
    });
    await peer.close();
  });

  it('a BYE goes to the packet source when the name in Contact does not resolve', async () => {
    const peer = await SipPeer.open({ host: '127.0.0.1', port: test.sipPort });
    await duringCall(async () => {
      const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
      const sdp = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n';
      const lines = {
        Contact: '<sip:x@no-such-host.invalid>',
        'X-Service-Call-Id': callId,
        'Content-Type': 'application/sdp',
        'Content-Length': String(sdp.length),
      };
      const offer = invite(peer.port, lines);
      peer.send(Buffer.from(offer + sdp));
      const answer = await peer.next(isFinalResponse);
      expect(answer.status).toBe(200);
      const to = answer.headers.find(({ name }) => name === 'To')?.value ?? '';
      const ack = offer.replaceAll('INVITE', 'ACK').replace(/^To: .*$/m, `To: ${to}`);
      peer.send(Buffer.from(ack.replace(/^Content-(Length|Type): .*\r\n/gm, '').replace(/z9hG4bK/, 'z9hG4bKack')));
      const terminated = test.api.send('POST', `/v1/calls/${callId}/terminate`);
      const bye = await peer.next((message): message is SipRequest => message.kind === 'request');
      expect(bye.method).toBe('BYE');
      peer.send(peer.answer(bye, 200));
      await terminated;
      expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('terminated');
    });
    await peer.close();
  });

  it('random bytes on the SIP and RTP ports are dropped', async () => {
    await duringCall(async () => {
      const socket = createSocket('udp4');
      expect(rtpPorts.size).toBeGreaterThan(0);
      const ports = [test.sipPort, ...[...rtpPorts].reverse().flatMap((port) => [port, port + 1])];
      for (let sent = 0; sent < NOISE_PACKETS; sent += 1) {
        for (const port of ports.slice(0, 1 + (sent % ports.length))) {
          socket.send(randomBytes(1 + (sent % 400)), port, '127.0.0.1');
        }
        if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await new Promise<void>((resolve) => socket.close(resolve));
    });
  });
});

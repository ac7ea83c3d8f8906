import { createSocket } from 'node:dgram';
import { expect, it } from 'vitest';
import { FINAL_STATUSES } from '../service/rig/api-client.ts';
import { FROM, TO } from '../service/rig/staged-call.ts';
import { SipPeer } from '../sip-endpoint/sip-peer.ts';
import { type AttackedService, describeAttacks } from './attacked-service.ts';

/** Two seconds at one packet each 20 ms, for all calls together. */
const PACKETS_MAX = 100;
/** Well over the 30 s after which a call without packets ends. */
const ENDED_WITHIN_MS = 100_000;
const CALLS = 3;
const VICTIM = '127.0.0.77';

const DATABASES_AT_ONCE = { concurrent: true };

/** An answered call whose SDP names the victim. The function returned sends the ACK, and resolves once the call has ended. */
async function callNaming(port: number, { agentId, test }: AttackedService): Promise<() => Promise<void>> {
  const callId = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
  const peer = await SipPeer.open({ host: '127.0.0.1', port: test.sipPort });
  const media = `c=IN IP4 ${VICTIM}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\n`;
  const sdp = `v=0\r\no=- 1 1 IN IP4 ${VICTIM}\r\ns=-\r\n${media}`;
  const invite = peer.invite(TO, sdp, [{ name: 'X-Service-Call-Id', value: callId }]);
  const answered = peer.response(200, 'INVITE');
  peer.send(invite);
  const ok = await answered;
  return async () => {
    peer.send(peer.inDialog(invite, ok, 'ACK', 1));
    await test.api.callIn(callId, ['in_progress']);
    // Without packets of its peer the call ends by itself, after half a minute.
    await test.api.callIn(callId, FINAL_STATUSES, ENDED_WITHIN_MS);
    void peer.close();
  };
}

function attacks(service: () => AttackedService): void {
  it('makes the service send it at most two seconds of RTP, by several calls together', async () => {
    const victim = createSocket('udp4');
    let packets = 0;
    victim.on('message', () => {
      packets += 1;
    });
    await new Promise<void>((resolve) => victim.bind(0, VICTIM, resolve));
    const { port } = victim.address();
    const calls = await Promise.all(Array.from({ length: CALLS }, () => callNaming(port, service())));
    expect(packets).toBe(0);
    await Promise.all(calls.map((acknowledge) => acknowledge()));
    expect(packets).toBeGreaterThan(0);
    expect(packets).toBeLessThanOrEqual(PACKETS_MAX);
    victim.close();
  });
}

describeAttacks('an unlisted caller whose SDP names a third party', {}, attacks, DATABASES_AT_ONCE);

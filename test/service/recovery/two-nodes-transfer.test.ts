import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { deskAnswers, inviteTo } from '../rig/transfer-target.ts';

const DESK = '+33155555555';
const GREETING = 'Hello.';
const ANNOUNCEMENT = 'A colleague takes over.';
const CALLER_HZ = 440;
const DESK_HZ = 1_000;
const TONE_MS = 60_000;
/** Two starts, which take a minute each on a busy machine, and a call. */
const TIMEOUT_MS = 240_000;

/** Number of tenths of a second in which mostly this tone is heard: a busy machine makes holes. */
function tenthsOf(heard: Int16Array, hz: number): number {
  let count = 0;
  for (let at = 0; at + 800 <= heard.length; at += 800) {
    const { level, share } = measureTone(heard.subarray(at, at + 800), hz);
    if (share > 0.5 && level > 500) count += 1;
  }
  return count;
}

describe.skipIf(!hasPostgres())('a transfer that is requested at another node than that of the call', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function startNode(environment: Record<string, string>): Promise<ServiceProcess> {
    const node = await startServiceProcess(environment);
    closers.push(() => node.kill());
    return node;
  }

  it.each(['0', '1'])(
    'bridges the user to the destination, with CALL_HOSTS=%s',
    { timeout: TIMEOUT_MS },
    async (hosts) => {
      const providers = await startEmulatedProviders();
      closers.push(() => providers.close());
      const desk = await SipCallee.open();
      closers.push(() => desk.close());
      const rtp = await TalkingRtpPeer.open('127.0.0.1');
      closers.push(() => rtp.close());
      deskAnswers(desk, rtp, makeTone(DESK_HZ, TONE_MS), {});
      const { promise: bridged, resolve: speak } = Promise.withResolvers<void>();
      const environment = {
        ...providers.environment,
        DATABASE_URL: await temporaryPostgresUrl(),
        TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
      };
      // One after the other: with its call host the second node is two processes.
      const one = await startNode({ ...environment, RTP_PORTS: '32200-32299' });
      const two = await startNode({ ...environment, RTP_PORTS: '32300-32399', CALL_HOSTS: hosts });
      const trunk = await one.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
        name: 'Carrier',
        termination_uri: `127.0.0.1:${desk.hop.port}`,
        transport: 'udp',
      });
      for (const number of [FROM, TO]) {
        const fields = { number, name: 'Ours', trunk_id: trunk.id };
        await one.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', fields);
      }
      const agent = await one.api.createAgent(talker({ initial_message: GREETING }));
      const call = await dialIn({ api: one.api, sipPort: two.sipPort }, agent.id, {
        audio: makeTone(CALLER_HZ, TONE_MS),
        speaksAt: bridged,
      });
      await call.said(GREETING);
      const request = { destination: DESK, mode: 'bridge', announcement: ANNOUNCEMENT };
      expect((await one.api.send('POST', `/v1/calls/${call.callId}/transfer`, request)).status).toBe(200);
      await eventually(() => expect(inviteTo(desk).uri).toContain(DESK));
      await eventually(() => expect(desk.methods()).toContain('ACK'));
      speak();
      // A bridge opens both directions at the same time.
      await eventually(() => expect(tenthsOf(rtp.heard(), CALLER_HZ)).toBeGreaterThan(3));
      const { heard } = await call.hangUp();
      expect(tenthsOf(heard, DESK_HZ)).toBeGreaterThan(0);
      const { end_reason, transcript } = await one.api.callIn(call.callId, ['completed']);
      expect(end_reason).toBe('transferred');
      expect(transcript?.map(({ content }) => content)).toEqual([GREETING, ANNOUNCEMENT]);
    },
  );
});

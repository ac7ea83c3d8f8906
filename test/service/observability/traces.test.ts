import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRtpPacket, decodeRtp, looksLikeRtcp } from '../../../sip/rtp/packet/rtp-packet.ts';
import { decodeRtcp } from '../../../sip/rtp/rtcp/rtcp-packet.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { readPcap } from '../../sip/capture/read-pcap.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

let providers: EmulatedProviders;
let test: TestService;

beforeAll(async () => {
  providers = await startEmulatedProviders();
  test = await startTestService(providers.environment);
});
afterAll(async () => {
  await test?.close();
  await providers?.close();
});

/** Two seconds of packets: enough for the capture and for a measurement of jitter. */
const PACKETS = 100;
const untilPacketsFlowed = async () => {
  const before = await test.service.media.statistics();
  await eventually(async () => {
    const { packetsReceived, packetsSent } = await test.service.media.statistics();
    expect(packetsReceived - before.packetsReceived).toBeGreaterThan(PACKETS);
    expect(packetsSent - before.packetsSent).toBeGreaterThan(PACKETS);
  });
};
const get = (path: string) => fetch(`${test.service.httpUrl}${path}`, { headers: { 'x-api-key': TEST_API_KEY } });

it('a call leaves its SIP ladder, its network quality, and a capture when one was requested', async () => {
  const { id } = await test.api.createAgent(talker());
  const { callId, hangUp } = await dialIn(test, id, { audio: makeTone(440, 1_500) });
  expect((await test.api.send('POST', `/v1/calls/${callId}/capture`)).status).toBe(200);
  await untilPacketsFlowed();
  await hangUp();
  const ended = await test.api.callIn(callId, ['completed']);

  // The service stores the end before it traces the last message of the dialog and releases the call.
  await eventually(() => expect(test.service.liveCalls()).toBe(0));
  const ladder = await eventually(async () => {
    const text = await (await get(`/v1/calls/${callId}/sip-ladder`)).text();
    expect(text).toMatch(/BYE[\s\S]*200 OK \(CSeq \d+ BYE\)/);
    return text;
  });
  const steps = ladder.split('\n').map((line) => /ms {2}caller {2}(?:──>|<──) {2}\S+ \S+ {2}(\S+ \S+)/.exec(line)?.[1]);
  expect(steps.map((step) => step?.replace(/ sip:.*/, ''))).toEqual(
    expect.arrayContaining(['INVITE', '180 Ringing', '200 OK', 'ACK', 'BYE']),
  );

  const answer = await get(`/v1/calls/${callId}/pcap`);
  expect(answer.headers.get('content-type')).toBe('application/vnd.tcpdump.pcap');
  const file = new Uint8Array(await answer.arrayBuffer());
  const datagrams = readPcap(file);
  const sip = datagrams.filter(({ payload }) => /SIP\/2\.0/.test(payload.toString('latin1', 0, 200)));
  expect(sip.length).toBe(steps.filter((step) => step !== undefined).length);
  const packet = createRtpPacket();
  const rtp = datagrams.filter(({ payload }) => decodeRtp(payload, payload.length, packet) && packet.payloadType === 0);
  expect(new Set(rtp.map(({ from, to }) => [from, to].sort().join(' '))).size).toBe(1);
  for (const { from } of rtp.slice(0, 2)) {
    expect(rtp.filter((datagram) => datagram.from === from).length).toBeGreaterThan(20);
    expect(rtp.filter((datagram) => datagram.from !== from).length).toBeGreaterThan(20);
  }
  const ports = new Set(rtp.flatMap(({ from, to }) => [from, to]).map((end) => Number(end.split(':')[1])));
  const rtcp = datagrams.filter(({ payload }) => looksLikeRtcp(payload, payload.length));
  // Only the service sends RTCP; it ends with a BYE.
  expect(decodeRtcp(rtcp.at(-1)?.payload ?? new Uint8Array())?.at(-1)?.type).toBe('bye');
  for (const { from } of rtcp) expect(ports).toContain(Number(from.split(':')[1]) - 1);
  const text = Buffer.from(file).toString('latin1') + ladder;
  for (const number of [FROM, TO]) expect(text).not.toContain(number.slice(1));

  expect(ended.metrics).toMatchObject({
    media: { inbound: { packets: expect.any(Number), lost: 0, mos: expect.any(Number) } },
  });

  expect((await test.api.send('POST', `/v1/calls/${callId}/capture`)).status).toBe(409);
  expect((await get('/v1/calls/00000000-0000-4000-8000-000000000000/pcap')).status).toBe(404);
});

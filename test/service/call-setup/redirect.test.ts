import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { DtmfDetector } from '../../../sip/rtp/dtmf/dtmf-detector.ts';
import { type CallOptions, call } from '../../caller/caller.ts';
import { dtmfTones } from '../../rtp-peer/dtmf-tones.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { FINAL_STATUSES } from '../rig/api-client.ts';
import { ladderOf } from '../rig/call-ladder.ts';
import { startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { deskAnswers, deskDoes, inviteTo } from '../rig/transfer-target.ts';

const DESK = '+33155555555';
const CALLER_HZ = 440;
const DESK_HZ = 1_000;
const withId = z.looseObject({ id: z.string() });

/** Number of stretches of 100 ms that contain almost only the tone. */
function stretchesOf(heard: Int16Array, hz: number): number {
  let count = 0;
  for (let at = 0; at + 800 <= heard.length; at += 800) {
    const { share, level } = measureTone(heard.subarray(at, at + 800), hz);
    if (share > 0.9 && level > 500) count++;
  }
  return count;
}

/** The DTMF digits whose tones the audio contains. */
function digitsIn(heard: Int16Array): string {
  let digits = '';
  const detector = new DtmfDetector((digit) => {
    digits += digit;
  });
  detector.write(heard, heard.length);
  return digits;
}

describe('a call to a number that redirects by bridge', () => {
  let test: TestService;
  let desk: SipCallee;
  let rtp: TalkingRtpPeer;
  let trunkId: string;

  beforeAll(async () => {
    test = await startTestService({ RING_TIMEOUT_SECONDS: '5' });
    desk = await SipCallee.open();
    const trunk = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${desk.hop.port}`,
    });
    trunkId = trunk.id;
    await redirect(TO, DESK);
  });
  afterAll(async () => {
    desk?.close();
    await test?.close();
  });
  beforeEach(async () => {
    rtp = await TalkingRtpPeer.open('127.0.0.1');
    desk.requests.length = 0;
  });
  afterEach(() => rtp.close());

  const redirect = (number: string, to: string) =>
    test.api.requestOk(withId, 'POST', '/v1/phone-numbers', {
      number,
      name: 'Moved',
      trunk_id: trunkId,
      redirect: true,
      redirect_phone_number: to,
      redirect_mode: 'bridge',
    });
  const dial = (options: Partial<CallOptions> = {}) =>
    call({
      target: { host: '127.0.0.1', port: test.sipPort },
      to: TO,
      from: FROM,
      audio: makeTone(CALLER_HZ, 20_000),
      durationMsMax: 20_000,
      ...options,
    });
  const calls = () => test.api.requestOk(z.array(withId), 'GET', '/v1/calls');
  /** The newest call of the service, once it has ended. */
  const ended = async () => {
    const [newest] = await calls();
    if (newest === undefined) throw new Error('the service has no call');
    return test.api.callIn(newest.id, FINAL_STATUSES);
  };
  /** SIP ladder of the newest call. */
  const ladder = async () => {
    const [newest] = await calls();
    return ladderOf(test, newest?.id ?? '');
  };
  const answering = (codec: 'pcmu' | 'pcma' = 'pcmu') => deskAnswers(desk, rtp, makeTone(DESK_HZ, 20_000), { codec });
  /** Resolves with the id of the newest call once it is answered. */
  const answered = () =>
    eventually(async () => {
      expect(desk.methods()).toContain('ACK');
      const [newest] = await test.api.requestOk(z.array(withId), 'GET', '/v1/calls');
      expect(newest).toMatchObject({ status: 'in_progress' });
      return newest?.id ?? '';
    });
  /** Resolves when the desk has heard the caller for most of a second, and has sent two seconds itself. */
  const talked = () =>
    eventually(() => {
      expect(stretchesOf(rtp.heard(), CALLER_HZ)).toBeGreaterThan(7);
      expect(rtp.report().sent).toBeGreaterThan(100);
    });

  it.each([
    { name: 'of one codec', codec: 'pcmu', by: 'rtp' },
    { name: 'of two codecs, with DTMF digits by SIP INFO', codec: 'pcma', by: 'info' },
    { name: 'with a late offer', codec: 'pcmu', by: 'rtp', lateOffer: true },
  ] as const)(
    "$name: both hear each other, DTMF digits pass, and the caller's BYE ends both legs",
    async ({ by, codec, ...more }) => {
      answering(codec);
      const at = talked().then(() => eventually(() => expect(rtp.report().dtmf).toBe('42')));
      const report = await dial({
        ...more,
        codecs: ['pcmu'],
        dtmf: [{ atMs: 1_000, digits: '42', by }],
        hangUp: { at },
      });
      await at;
      expect(report.statuses.filter((status) => status > 100)).toEqual([180, 200]);
      expect(report.endedBy).toBe('caller');
      expect(stretchesOf(report.heard, DESK_HZ)).toBeGreaterThan(3);
      expect(stretchesOf(report.heard, CALLER_HZ)).toBe(0);
      expect(stretchesOf(rtp.heard(), DESK_HZ)).toBe(0);
      await eventually(() => expect(desk.methods().at(-1)).toBe('BYE'));
      const invite = inviteTo(desk);
      expect(invite.uri).toContain(DESK);
      expect(getHeader(invite.headers, 'From')).toContain(TO);
      const record = await ended();
      expect(record).toMatchObject({
        status: 'completed',
        end_reason: 'transferred',
        direction: 'inbound',
        from_number: FROM,
        to_number: TO,
        agent_id: null,
        agent_version: null,
        redirect_target: DESK,
        transcript: [],
        recording_url: null,
        sip_call_id: report.sipCallId,
      });
      expect(record.redirect_duration_seconds).toBeGreaterThanOrEqual(1);
      expect(record.redirect_duration_seconds).toBe(record.duration_seconds);
      expect(record.metrics).toMatchObject({ media: { inbound: { packets: expect.any(Number) } }, cost: { total: 0 } });
      await eventually(async () => {
        const { text, legs } = await ladder();
        const expectedSteps = ['INVITE', '180', '200', 'ACK', 'BYE', '200'];
        const infoSteps = by === 'info' ? ['INFO', 'INFO', '200', '200'] : [];
        expect(legs.caller?.toSorted()).toEqual([...expectedSteps, ...infoSteps].toSorted());
        expect(legs.bridge).toEqual(expectedSteps);
        expect(text).toContain(`caller  Call-ID ${report.sipCallId}\nbridge  Call-ID `);
        for (const number of [FROM, TO, DESK]) expect(text).not.toContain(number.slice(1));
      });
      await eventually(() => expect(test.service.liveCalls()).toBe(0));
      await eventually(async () => expect((await test.service.media.statistics()).sessions).toBe(0));
    },
  );

  it('passes DTMF tones unchanged, and sends no event for them, on a trunk with in-band DTMF', async () => {
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { inband_dtmf: true });
    answering();
    const at = eventually(() => expect(rtp.report().dtmf).not.toBe(''));
    const audio = new Int16Array(16_000);
    // Each digit several times, because a stall of the machine makes gaps.
    audio.set(dtmfTones('424242'), 4_000);
    const report = await dial({ audio, dtmf: [{ atMs: 2_000, digits: '9' }], hangUp: { at } });
    await at;
    expect(report.endedBy).toBe('caller');
    expect(rtp.report().dtmf).toBe('9');
    expect(digitsIn(rtp.heard())).toMatch(/4.*2/);
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { inband_dtmf: false });
  });

  it("is recorded and reported as the number's agent says, and no agent runs", async () => {
    const receiver = await startEventReceiver();
    const agent = await test.api.createAgent(
      talker({
        recording: true,
        webhook_url: receiver.url,
        webhook_subscriptions: ['event_call_status_changed', 'event_call_ended', 'event_recording_ready'],
      }),
    );
    const number = '+33144444443';
    const { id } = await redirect(number, DESK);
    await test.api.requestOk(withId, 'PATCH', `/v1/phone-numbers/${id}`, { inbound_agent_id: agent.id });
    answering();
    const at = talked();
    await dial({ to: number, hangUp: { at } });
    const record = await ended();
    expect(record).toMatchObject({
      end_reason: 'transferred',
      agent_id: agent.id,
      agent_version: null,
      transcript: [],
    });
    await eventually(() => expect(receiver.arrivals.map(({ type }) => type)).toContain('event_recording_ready'));
    const types = receiver.arrivals.map(({ type, call_id }) => (call_id === record.id ? type : 'of another call'));
    expect(types).toEqual([
      'event_call_status_changed',
      'event_call_status_changed',
      'event_call_status_changed',
      'event_call_ended',
      'event_recording_ready',
    ]);
    const wav = await readFile(join(test.dataDir, 'recordings', `${record.id}.wav`));
    const both = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) >> 1);
    const side = (channel: number) =>
      Int16Array.from({ length: both.length >> 1 }, (_, nth) => both[2 * nth + channel] ?? 0);
    expect(stretchesOf(side(0), CALLER_HZ)).toBeGreaterThan(3);
    expect(stretchesOf(side(1), DESK_HZ)).toBeGreaterThan(3);
    await receiver.close();
  });

  it('leaves no recording if it is refused', async () => {
    const agent = await test.api.createAgent(talker({ recording: true }));
    const number = '+33144444445';
    const { id } = await redirect(number, DESK);
    await test.api.requestOk(withId, 'PATCH', `/v1/phone-numbers/${id}`, { inbound_agent_id: agent.id });
    deskDoes(desk, (invite) => desk.respond(invite, 486, 'Busy Here'));
    await dial({ to: number });
    const record = await ended();
    expect(record).toMatchObject({ status: 'busy', agent_id: agent.id, recording_url: null });
    await eventually(async () => {
      const files = await readdir(join(test.dataDir, 'recordings')).catch(() => []);
      expect(files).not.toContain(`${record.id}.wav`);
    });
  });

  it('ends the caller’s leg when the desk hangs up', async () => {
    answering();
    const report = dial();
    await answered();
    desk.request(inviteTo(desk), 'BYE');
    expect((await report).endedBy).toBe('callee');
    expect(await ended()).toMatchObject({ status: 'completed', end_reason: 'transferred' });
  });

  it('ends both legs when terminated through the API, and rejects other API requests', async () => {
    answering();
    const report = dial();
    const id = await answered();
    expect((await test.api.send('POST', `/v1/calls/${id}/say`, { text: 'Hello.' })).status).toBe(409);
    expect((await test.api.send('POST', `/v1/calls/${id}/terminate`)).status).toBe(200);
    expect((await report).endedBy).toBe('callee');
    await eventually(() => expect(desk.methods().at(-1)).toBe('BYE'));
    expect(await ended()).toMatchObject({ status: 'completed', end_reason: 'terminated' });
  });

  it.each([
    { status: 486, relayed: 486, record: { status: 'busy', end_reason: 'busy' } },
    { status: 404, relayed: 404, record: { status: 'failed', end_reason: 'rejected' } },
    { status: 480, relayed: 480, record: { status: 'no_answer', end_reason: 'no_answer' } },
    { status: 401, relayed: 480, record: { status: 'failed', end_reason: 'rejected' } },
    { status: 503, relayed: 502, record: { status: 'failed', end_reason: 'sip_error' } },
  ])('is refused with $relayed without ringing when the desk answers $status', async ({ status, relayed, record }) => {
    deskDoes(desk, (invite) => desk.respond(invite, status, 'No'));
    const report = await dial();
    expect(report.statuses.filter((status) => status > 100)).toEqual([relayed]);
    expect(await ended()).toMatchObject({ ...record, start_time: null, redirect_duration_seconds: 0 });
    expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
    await eventually(async () =>
      expect((await ladder()).legs).toEqual({
        caller: ['INVITE', `${relayed}`, 'ACK'],
        bridge: ['INVITE', `${status}`, 'ACK'],
      }),
    );
  });

  it('has the last target in its record when the trunk redirects it further', async () => {
    const further = '+33155555599';
    deskDoes(desk, (invite) => {
      const moved = [{ name: 'Contact', value: `<sip:${further}@192.0.2.7>` }];
      if (invite.uri.includes(DESK)) desk.respond(invite, 302, 'Moved', null, moved);
      else desk.respond(invite, 486, 'Busy Here');
    });
    await dial();
    expect(await ended()).toMatchObject({ status: 'busy', redirect_target: further });
  });

  it("is refused after the ring timeout, and the desk's leg is cancelled", async () => {
    deskDoes(desk, (invite) => desk.respond(invite, 180, 'Ringing'));
    const report = await dial();
    expect(report.statuses.filter((status) => status > 100)).toEqual([180, 480]);
    await eventually(() => expect(desk.methods()).toContain('CANCEL'));
    expect(await ended()).toMatchObject({ status: 'no_answer', end_reason: 'no_answer' });
  });

  it('is cancelled at the desk when the caller cancels while it rings', async () => {
    deskDoes(desk, (invite) => desk.respond(invite, 180, 'Ringing'));
    const report = await dial({ cancelAfterMs: 900 });
    expect(report.statuses.at(-1)).toBe(487);
    await eventually(() => expect(desk.methods()).toContain('CANCEL'));
    expect(await ended()).toMatchObject({ status: 'canceled', end_reason: 'canceled' });
    await eventually(async () => {
      const expectedSteps = expect.arrayContaining(['INVITE', '180', 'CANCEL', '200', '487', 'ACK']);
      expect((await ladder()).legs).toEqual({ caller: expectedSteps, bridge: expectedSteps });
    });
  });

  it('is refused with 503 when the trunk is at its limit', async () => {
    answering();
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { max_concurrent_calls: 1 });
    const first = dial();
    await answered();
    expect((await dial()).statuses.at(-1)).toBe(503);
    expect(await ended()).toMatchObject({ status: 'failed', end_reason: 'sip_error' });
    expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
    desk.request(inviteTo(desk), 'BYE');
    await first;
    await test.api.requestOk(z.unknown(), 'PATCH', `/v1/sip-trunks/${trunkId}`, { max_concurrent_calls: null });
  });

  it('is refused with 482 and not dialled when redirects form a loop', async () => {
    const [firstNumber, secondNumber] = ['+33144444441', '+33144444442'];
    await redirect(firstNumber, secondNumber);
    await redirect(secondNumber, firstNumber);
    const before = await calls();
    expect((await dial({ to: firstNumber })).statuses.at(-1)).toBe(482);
    expect(desk.requests).toEqual([]);
    expect(await calls()).toEqual(before);
  });
});

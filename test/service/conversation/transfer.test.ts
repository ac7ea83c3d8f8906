import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { ladderOf } from '../rig/call-ladder.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { deskAnswers, deskDoes, inviteTo } from '../rig/transfer-target.ts';

const DESK = '+33155555555';
/** Prompt of an agent that transfers no user by itself. */
const ONLY_TALK = 'Only talk.';
const ANSWER = 'Very well.';
const APOLOGY = 'Nobody is there, I am sorry.';
const CALLER_HZ = 440;
const DESK_HZ = 1_000;

/** Silence during the conversation with the agent, then the caller's tone until the end of the call. */
const LATE_TONE = (() => {
  const [afterMs, durationMs] = [2_000, 30_000];
  const samples = new Int16Array((afterMs + durationMs) * 8);
  samples.set(makeTone(CALLER_HZ, durationMs), afterMs * 8);
  return samples;
})();

/** Number of tenths of a second that contain only this tone. A late packet or a concealed gap disqualifies one. */
function pureTenths(heard: Int16Array, hz: number): number {
  return tenths(heard).filter((tenth) => measureTone(tenth, hz).share > 0.95).length;
}

/** Number of tenths of a second that contain this tone at all. */
function touchedTenths(heard: Int16Array, hz: number): number {
  return tenths(heard).filter((tenth) => measureTone(tenth, hz).share > 0.5 && measureTone(tenth, hz).level > 500)
    .length;
}

function tenths(heard: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(heard.length / 800) }, (_, i) => heard.subarray(i * 800, (i + 1) * 800));
}

/** Start of a tone, ms: the first 100 ms that consist mostly of it. */
function beginOf(heard: Int16Array, hz: number): number {
  for (let at = 0; at + 800 <= heard.length; at += 160) {
    const { share: part, level } = measureTone(heard.subarray(at, at + 800), hz);
    if (part > 0.9 && level > 500) return at / 8;
  }
  throw new Error(`no ${hz} Hz is heard`);
}

describe('a transfer', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let desk: SipCallee;
  let rtp: TalkingRtpPeer;

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('The desk please.', 200, 600) },
      chat: (body) => {
        const asked = JSON.stringify(body);
        if (asked.includes('The transfer failed')) return textAnswer(APOLOGY);
        if (asked.includes(ONLY_TALK)) return textAnswer(ANSWER);
        return toolCallsAnswer([{ id: 'call_1', name: 'desk', arguments: '{}' }]);
      },
    });
    test = await startTestService(providers.environment);
    desk = await SipCallee.open();
    const trunk = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${desk.hop.port}`,
      transport: 'udp',
    });
    for (const number of [FROM, TO]) {
      const fields = { number, name: 'Ours', trunk_id: trunk.id };
      await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', fields);
    }
  });
  afterAll(async () => {
    desk?.close();
    await test?.close();
    await providers?.close();
  });
  beforeEach(async () => {
    rtp = await TalkingRtpPeer.open('127.0.0.1');
    desk.requests.length = 0;
  });
  afterEach(() => rtp.close());

  const agent = (tool: object = {}, more: object = {}) =>
    test.api.createAgent(
      talker({
        initial_message: 'Hello.',
        record_tape: true,
        states: [
          {
            name: 'talk',
            prompt: 'Talk.',
            tools: [{ type: 'transfer_call', name: 'desk', destination: DESK, ring_timeout: 5, ...tool }],
          },
        ],
        ...more,
      }),
    );

  const answering = (codec: 'pcmu' | 'pcma' = 'pcmu', ringMs = 1_200, speech = makeTone(DESK_HZ, 20_000)) =>
    deskAnswers(desk, rtp, speech, { codec, ringMs });
  const inviteToDesk = () => eventually(() => inviteTo(desk));
  const eventsOf = async (callId: string) => {
    const tape = await readFile(join(test.dataDir, 'tapes', callId, 'tape.jsonl'), 'utf8');
    return tape.match(/"phase":"[a-z]+"|"mode":"[a-z]+"/g) ?? [];
  };

  async function callOfTalker() {
    const { id } = await test.api.createAgent(
      talker({ initial_message: 'Hello.', states: [{ name: 'talk', prompt: ONLY_TALK }] }),
    );
    const call = await dialIn(test, id);
    await call.said(ANSWER);
    return call;
  }

  it('that the API requests is bridged after its announcement', async () => {
    answering();
    const call = await callOfTalker();
    const announcement = 'A colleague takes over.';
    const request = { destination: DESK, mode: 'bridge', announcement };
    expect((await test.api.send('POST', `/v1/calls/${call.callId}/transfer`, request)).status).toBe(200);
    expect((await inviteToDesk()).uri).toContain(DESK);
    await eventually(() => expect(desk.methods()).toContain('ACK'));
    await call.hangUp();
    const { end_reason, transcript } = await test.api.callIn(call.callId, ['completed']);
    expect(end_reason).toBe('transferred');
    expect(transcript?.map(({ content }) => content)).toContain(announcement);
  });

  it('that the API requests to a premium number fails, and the agent speaks on', async () => {
    const call = await callOfTalker();
    const request = { destination: '+499001234567', mode: 'bridge' };
    expect((await test.api.send('POST', `/v1/calls/${call.callId}/transfer`, request)).status).toBe(200);
    await call.said(APOLOGY);
    await call.hangUp();
    expect(desk.methods()).not.toContain('INVITE');
  });

  it.each(['pcmu', 'pcma'] as const)(
    'whose REFER the caller refuses becomes a bridge: audio and DTMF digits pass until the caller hangs up (%s)',
    async (codec) => {
      answering(codec);
      const { promise: bothHear, resolve: press } = Promise.withResolvers<void>();
      const { promise: pressed, resolve: hangUp } = Promise.withResolvers<void>();
      const { callId, report } = await dialIn(test, (await agent()).id, {
        codecs: ['pcmu'],
        audio: LATE_TONE,
        dtmf: [{ at: bothHear, digits: '42' }],
        hangUp: { at: pressed },
      });
      const invite = await inviteToDesk();
      expect(invite.uri).toContain(DESK);
      expect(getHeader(invite.headers, 'From')).toContain(TO);
      await eventually(() => expect(desk.methods()).toContain('ACK'));
      const joinedMs = performance.now();
      // A bridge opens both directions at the same time.
      await eventually(() => expect(pureTenths(rtp.heard(), CALLER_HZ)).toBeGreaterThan(10));
      press();
      await eventually(() => expect(rtp.report().dtmf).toBe('42'));
      hangUp();
      const { heard, endedBy, endedMs, ladder } = await report;
      const bridgedMs = performance.now() - joinedMs;
      expect(endedBy).toBe('caller');
      expect(ladder.join('\n')).toContain('REFER');
      await eventually(() => expect(desk.methods().at(-1)).toBe('BYE'));

      const ringing = beginOf(heard, 425);
      const joined = beginOf(heard, DESK_HZ);
      expect(joined).toBeGreaterThan(ringing + 800);
      expect(pureTenths(heard, DESK_HZ)).toBeGreaterThan(5);
      expect(touchedTenths(heard.subarray(joined * 8), CALLER_HZ)).toBe(0);
      expect(touchedTenths(rtp.heard(), DESK_HZ)).toBe(0);

      const call = await test.api.callIn(callId, ['completed']);
      expect(call.end_reason).toBe('transferred');
      expect(call.redirect_duration_seconds).toBeGreaterThanOrEqual(Math.floor(bridgedMs / 1_000) - 1);
      expect(call.redirect_duration_seconds).toBeGreaterThanOrEqual(1);
      expect(call.redirect_duration_seconds).toBeLessThanOrEqual(endedMs / 1_000 + 1);
      const spoken = call.transcript?.filter(({ role }) => role === 'user' || role === 'agent') ?? [];
      expect(spoken.map(({ content }) => content).sort()).toEqual(['Hello.', 'The desk please.']);
      expect((await eventsOf(callId)).slice(0, 6)).toContain('"mode":"bridge"');
    },
  );

  it('by bridge ends the call when the desk hangs up, and the recording contains both parties', async () => {
    answering('pcmu', 200);
    const { callId, report } = await dialIn(test, (await agent({ mode: 'bridge' })).id, {
      audio: LATE_TONE,
    });
    const invite = await inviteToDesk();
    await eventually(() => expect(desk.methods()).toContain('ACK'));
    await eventually(() => expect(pureTenths(rtp.heard(), CALLER_HZ)).toBeGreaterThan(10));
    desk.request(invite, 'BYE');
    const { endedBy, ladder } = await report;
    expect(endedBy).toBe('callee');
    expect(ladder.join('\n')).not.toContain('REFER');
    const call = await test.api.callIn(callId, ['completed']);
    expect(call.end_reason).toBe('transferred');
    const wav = await readFile(join(test.dataDir, 'recordings', `${callId}.wav`));
    const both = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.length - 44) >> 1);
    const side = (channel: number) =>
      Int16Array.from({ length: both.length >> 1 }, (_, i) => both[2 * i + channel] ?? 0);
    expect(beginOf(side(0), CALLER_HZ)).toBeGreaterThan(0);
    expect(beginOf(side(1), DESK_HZ)).toBeGreaterThan(0);
  });

  it.each([
    { status: 486, reason: 'the line is busy' },
    { status: 404, reason: 'the call was rejected' },
    { status: 503, reason: 'the call could not be placed' },
  ])('to a desk that answers $status returns the user to the agent: $reason', async ({ status, reason }) => {
    deskDoes(desk, (invite) => desk.respond(invite, status, 'No'));
    const { callId, report } = await dialIn(test, (await agent({ mode: 'bridge' })).id);
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(transcript?.at(-1)?.content).toBe('Nobody is there, I am sorry.');
      expect(JSON.stringify(transcript)).toContain(`The transfer failed: ${reason}.`);
    });
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    expect((await report).endedBy).toBe('callee');
    expect(await test.api.callIn(callId, ['completed'])).toMatchObject({
      end_reason: 'terminated',
      redirect_duration_seconds: 0,
    });
  });

  it.each([
    { contact: 'sip:+33155555556@192.0.2.7', target: '+33155555556', reason: 'the line is busy', invites: 2 },
    { contact: 'sip:desk@192.0.2.7', target: 'sip:desk@192.0.2.7', reason: 'the destination has moved', invites: 1 },
  ])('has $target in its record if a trunk redirects it to $contact', async ({ contact, target, reason, invites }) => {
    deskDoes(desk, (invite) => {
      const moved = [{ name: 'Contact', value: `<${contact}>` }];
      if (invite.uri.includes(DESK)) desk.respond(invite, 302, 'Moved', null, moved);
      else desk.respond(invite, 486, 'Busy Here');
    });
    const { callId, hangUp } = await dialIn(test, (await agent({ mode: 'bridge' })).id);
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(JSON.stringify(transcript)).toContain(`The transfer failed: ${reason}`);
    });
    await hangUp();
    expect(await test.api.callIn(callId, ['completed'])).toMatchObject({ redirect_target: target });
    expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(invites);
  });

  it("fails over to the fallback trunk after 503, with that trunk's settings", async () => {
    const standIn = await SipCallee.open();
    const trunk = await test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Stand-in',
      termination_uri: `127.0.0.1:${standIn.hop.port}`,
      codecs: ['pcma'],
      priority: 1,
    });
    deskDoes(desk, (invite) => desk.respond(invite, 503, 'Service Unavailable'));
    standIn.onRequest = (request) => {
      if (request.method !== 'INVITE') return request.method === 'ACK' || standIn.respond(request, 200, 'OK');
      rtp.take(Buffer.from(request.body).toString());
      standIn.respond(request, 200, 'OK', rtp.offer(['pcma']));
    };
    const { callId, hangUp } = await dialIn(test, (await agent({ mode: 'bridge' }, { initial_message: '' })).id);
    await eventually(() => expect(standIn.methods()).toContain('ACK'));
    expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
    expect(Buffer.from(standIn.requests[0]?.body ?? '').toString()).toMatch(/m=audio \d+ RTP\/AVP 8 /);
    await hangUp();
    await eventually(() => expect(standIn.methods().at(-1)).toBe('BYE'));
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('transferred');
    expect(desk.methods()).not.toContain('BYE');
    expect((await ladderOf(test, callId)).legs).toMatchObject({
      caller: expect.arrayContaining(['INVITE', 'BYE']),
      bridge: ['INVITE', '503', 'ACK'],
      'bridge 2': expect.arrayContaining(['INVITE', '200', 'ACK']),
    });
    await test.api.send('DELETE', `/v1/sip-trunks/${trunk.id}`);
    standIn.close();
  });

  it('to an unanswered desk is cancelled after its ring timeout, and the agent continues', async () => {
    deskDoes(desk, (invite) => desk.respond(invite, 180, 'Ringing'));
    const { callId, hangUp } = await dialIn(test, (await agent({ mode: 'bridge' })).id);
    await eventually(() => expect(desk.methods()).toContain('CANCEL'));
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(JSON.stringify(transcript)).toContain('The transfer failed: nobody answered.');
    });
    const { heard } = await hangUp();
    expect(beginOf(heard, 425)).toBeGreaterThan(0);
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
  });

  it('is cancelled when the caller hangs up while the desk rings', async () => {
    deskDoes(desk, (invite) => desk.respond(invite, 180, 'Ringing'));
    const { callId, hangUp } = await dialIn(test, (await agent({ mode: 'bridge', ring_timeout: 20 })).id);
    await inviteToDesk();
    await hangUp();
    await eventually(() => expect(desk.methods()).toContain('CANCEL'));
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
  });

  it('ends both legs when terminated through the API', async () => {
    answering('pcmu', 100);
    const { callId, report } = await dialIn(test, (await agent({ mode: 'bridge' })).id);
    await inviteToDesk();
    await eventually(() => expect(desk.methods()).toContain('ACK'));
    await eventually(() => expect(rtp.report().received).toBeGreaterThan(20));
    await test.api.send('POST', `/v1/calls/${callId}/terminate`);
    expect((await report).endedBy).toBe('callee');
    await eventually(() => expect(desk.methods().at(-1)).toBe('BYE'));
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('terminated');
  });

  describe('by REFER that the callee accepts', () => {
    /** Calls the desk, which answers the agent's REFER with a NOTIFY of this status. */
    const referred = async (status: number) => {
      answering('pcmu', 100, new Int16Array(8_000));
      const { onRequest } = desk;
      desk.onRequest = (request) => {
        if (request.method !== 'REFER') return onRequest(request);
        desk.respond(request, 202, 'Accepted');
        const headers = [
          { name: 'Event', value: 'refer' },
          { name: 'Subscription-State', value: 'terminated;reason=noresource' },
          { name: 'Content-Type', value: 'message/sipfrag;version=2.0' },
        ];
        desk.request(inviteTo(desk), 'NOTIFY', headers, `SIP/2.0 ${status} X`);
      };
      // With an initial message the agent would greet the callee and wait.
      const { id } = await agent({}, { initial_message: '' });
      const callRequest = { from_number: FROM, to_number: TO, agent_id: id };
      const answer = await test.api.requestOk(
        z.object({ call_id: z.string() }),
        'POST',
        '/v1/calls/phone',
        callRequest,
      );
      await eventually(() => expect(desk.methods()).toContain('REFER'));
      const refer = desk.requests.find(({ method }) => method === 'REFER');
      expect(getHeader(refer?.headers ?? [], 'Refer-To')).toBe(`<tel:${DESK}>`);
      return answer.call_id;
    };

    it('ends the call as transferred after the destination has answered', async () => {
      const callId = await referred(200);
      await eventually(() => expect(desk.methods().at(-1)).toBe('BYE'));
      expect(await test.api.callIn(callId, ['completed'])).toMatchObject({
        end_reason: 'transferred',
        redirect_duration_seconds: 0,
      });
      expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
    });

    it('returns the user to the agent when the destination is busy, and bridges nothing', async () => {
      const callId = await referred(486);
      await eventually(async () => {
        const { transcript } = await test.api.call(callId);
        expect(JSON.stringify(transcript)).toContain('The transfer failed: the line is busy.');
        expect(transcript?.at(-1)?.content).toBe('Nobody is there, I am sorry.');
      });
      expect(desk.methods()).not.toContain('BYE');
      expect(desk.methods().filter((method) => method === 'INVITE')).toHaveLength(1);
      await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      await test.api.callIn(callId, ['completed']);
    });
  });

  it('dials nothing if neither a trunk nor a setting allows the SIP host', async () => {
    const { callId, hangUp } = await dialIn(
      test,
      (await agent({ mode: 'bridge', destination: 'sip:desk@127.0.0.2:9' })).id,
    );
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(JSON.stringify(transcript)).toContain('its host is not allowed here');
    });
    await hangUp();
    expect(desk.requests).toEqual([]);
  });
});

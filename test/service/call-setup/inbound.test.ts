import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeAlaw, decodeMulaw } from '../../../base/audio/g711.ts';
import { replayCommand } from '../../../src/cli/commands/replay.ts';
import { call } from '../../caller/caller.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone, measureTone, rootMeanSquare } from '../../rtp-peer/tone.ts';
import { ladderOf } from '../rig/call-ladder.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const withId = z.looseObject({ id: z.string() });

const ASSERTED = { 'P-Asserted-Identity': '<sip:+33777777777@carrier.example>' };

describe('an inbound call', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  /** SIP messages in both directions. */
  const sent: string[] = [];

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who are you?', 1_500, 2_300) },
      keepAudio: true,
      chat: () => textAnswer('I am the agent. What can I do for you?'),
    });
    test = await startTestService(providers.environment, {
      onTrace: ({ bytes }) => sent.push(new TextDecoder().decode(bytes)),
    });
    agentId = (await test.api.createAgent(talker({ record_tape: true, initial_message: 'Hello.' }))).id;
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const dial = (headers: Record<string, string>, more: object = {}) =>
    call({
      target: { host: '127.0.0.1', port: test.sipPort },
      to: TO,
      from: FROM,
      headers,
      durationMsMax: 15_000,
      ...more,
    });
  const stage = () => test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });

  it('records a tape that replays with the same commands in the same order', async () => {
    const { callId, said, hangUp } = await dialIn(test, agentId, { speaksAfter: 'Hello.' });
    await said('I am the agent. What can I do for you?');
    await hangUp();
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended.transcript?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'agent: Hello.',
      'user: Who are you?',
      'agent: I am the agent. What can I do for you?',
    ]);
    let printed = '';
    const status = await replayCommand([join(test.dataDir, 'tapes', callId)], { write: (text) => (printed += text) });
    expect(status, printed).toBe(0);
    expect(printed).toContain('the same');
    const tape = await readFile(join(test.dataDir, 'tapes', callId, 'tape.jsonl'), 'utf8');
    for (const number of [FROM, TO]) expect(tape).not.toContain(number.slice(1));
  });

  it('logs one line at its start and one at its end, with masked numbers', async () => {
    const { callId, said, hangUp } = await dialIn(test, agentId, { speaksAfter: 'Hello.' });
    await said('I am the agent. What can I do for you?');
    await hangUp();
    await test.api.callIn(callId, ['completed']);
    const lines = test
      .log()
      .split('\n')
      .filter((line) => line.includes(callId))
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === 'call started')).toMatchObject([
      { level: 'info', direction: 'inbound', leg: 'caller', agent_id: agentId, trunk_id: null },
    ]);
    expect(lines.filter(({ msg }) => msg === 'call ended')).toMatchObject([
      {
        level: 'info',
        reason: 'caller_hangup',
        turns: 1,
        cost: expect.any(Number),
        duration_seconds: expect.any(Number),
      },
    ]);
    for (const number of [FROM, TO]) expect(JSON.stringify(lines)).not.toContain(number.slice(3));
  });

  it.each(['pcmu', 'pcma'] as const)(
    'over %s delivers the caller’s audio to the transcriber undistorted',
    async (codec) => {
      const speech = makeTone(700, 2_000);
      const before = providers.deepgram.listens.length;
      const { callId, hangUp } = await dialIn(test, agentId, { codecs: [codec], audio: speech, pace: 'peer' });
      await eventually(() => expect(providers.deepgram.listens[before]?.audioBytes).toBeGreaterThan(8_000));
      await hangUp();
      await test.api.callIn(callId, ['completed']);
      const listened = providers.deepgram.listens[before];
      if (listened === undefined) throw new Error('nothing was transcribed');
      const bytes = Buffer.concat([...listened.audio]);
      const samples = new Int16Array(bytes.length);
      const decode = listened.query.get('encoding') === 'alaw' ? decodeAlaw : decodeMulaw;
      decode(bytes, 0, bytes.length, samples);
      const middle = samples.subarray(4_000, 8_000);
      expect(measureTone(middle, 700).share).toBeGreaterThan(0.95);
      expect(rootMeanSquare(middle) / rootMeanSquare(speech)).toBeCloseTo(1, 1);
    },
  );

  it('without an SDP offer gets our offer, and is greeted after its SDP answer', async () => {
    const { callId, said, hangUp } = await dialIn(test, agentId, { lateOffer: true, speaksAfter: 'Hello.' });
    await said('Who are you?');
    const { rtp, heard } = await hangUp();
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended.end_reason).toBe('caller_hangup');
    expect(ended.transcript?.map(({ role, content }) => `${role}: ${content}`).slice(0, 2)).toEqual([
      'agent: Hello.',
      'user: Who are you?',
    ]);
    expect(rtp.received).toBeGreaterThan(100);
    expect(rootMeanSquare(heard)).toBeGreaterThan(0);
  });

  it('ends as canceled when it is cancelled before the answer', async () => {
    const callId = await stage();
    const { statuses } = await dial({ 'X-Service-Call-Id': callId }, { cancelAfterMs: 0 });
    expect(statuses.at(-1)).toBe(487);
    expect((await test.api.callIn(callId, ['canceled'], 8_000)).end_reason).toBe('canceled');
    await eventually(async () =>
      expect((await ladderOf(test, callId)).legs.caller).toEqual(
        expect.arrayContaining(['INVITE', 'CANCEL', '200', '487', 'ACK']),
      ),
    );
    await eventually(() => expect(test.service.liveCalls()).toBe(0));
  });

  it.each([
    { name: 'an unknown call', id: () => '5f0c2b36-0000-4000-8000-000000000000' },
    { name: 'an invalid call id', id: () => "x' OR 1=1" },
  ])('for $name gets 404', async ({ id }) => {
    const before = test.log().length;
    expect((await dial({ 'X-Service-Call-Id': id() })).statuses.at(-1)).toBe(404);
    expect(test.log().slice(before)).toMatch(/"source":"127\.0\.0\.1".*"status":404.*"INVITE refused"/);
  });

  it('with an extension that the SIP server does not know gets 420, and is logged', async () => {
    const before = test.log().length;
    expect((await dial({ Require: 'sec-agree' })).statuses.at(-1)).toBe(420);
    await eventually(() =>
      expect(test.log().slice(before)).toMatch(/"status":420,"cause":"invalid_request".*"INVITE refused"/),
    );
  });

  it('gets 404 for a staged call that was used or terminated, and for a number without an agent', async () => {
    const { callId, report } = await dialIn(test, agentId, { hangUp: { afterMs: 200 } });
    await report;
    expect((await dial({ 'X-Service-Call-Id': callId })).statuses.at(-1)).toBe(404);
    const terminated = await stage();
    await test.api.send('POST', `/v1/calls/${terminated}/terminate`);
    expect((await dial({ 'X-Service-Call-Id': terminated })).statuses.at(-1)).toBe(404);
    expect((await dial({})).statuses.at(-1)).toBe(404);
  });

  it('to a number with a redirect gets 302 to its trunk, and its record names the target and the caller that the trunk asserts', async () => {
    const calls = () =>
      test.api.requestOk(z.array(z.looseObject({ end_reason: z.string().nullable() })), 'GET', '/v1/calls');
    const redirected = async () => {
      sent.length = 0;
      expect((await dial(ASSERTED)).statuses.at(-1)).toBe(302);
      return eventually(() => {
        const contact = /^Contact: *(.*?)\r$/im.exec(sent.find((message) => message.startsWith('SIP/2.0 302')) ?? '');
        if (contact === null) throw new Error('the 302 was not traced');
        return contact[1];
      });
    };
    const before = await calls();
    const number = await test.api.requestOk(withId, 'POST', '/v1/phone-numbers', {
      number: TO,
      name: 'Moved',
      inbound_agent_id: agentId,
      redirect: true,
      redirect_phone_number: '+33155555555',
    });
    expect(await redirected()).toBe('<tel:+33155555555>');
    const trunk = await test.api.requestOk(withId, 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: 'carrier.example:5070',
      allowed_addresses: ['127.0.0.0/8'],
    });
    expect(await redirected()).toBe('<sip:+33155555555@carrier.example:5070;user=phone>');
    // The end of a call is stored after its 302.
    const [newest, ...others] = await eventually(async () => {
      const listed = await calls();
      expect(listed.slice(0, 2).map((call) => call.end_reason)).toEqual(['redirected', 'redirected']);
      return listed;
    });
    expect(newest).toMatchObject({
      status: 'completed',
      end_reason: 'redirected',
      redirect_target: '+33155555555',
      from_number: '+33777777777',
      to_number: TO,
      agent_id: agentId,
      agent_version: null,
      start_time: null,
    });
    // Without a trunk, the service believes no asserted identity.
    expect(others[0]).toMatchObject({ end_reason: 'redirected', from_number: FROM });
    expect(others.slice(1)).toEqual(before);
    await test.api.send('DELETE', `/v1/phone-numbers/${number.id}`);
    await test.api.send('DELETE', `/v1/sip-trunks/${trunk.id}`);
  });

  it('to a staged call is answered for exactly one of several simultaneous callers', async () => {
    const callId = await stage();
    const reports = await Promise.all(
      Array.from({ length: 10 }, () => dial({ 'X-Service-Call-Id': callId }, { hangUp: { afterMs: 300 } })),
    );
    const finals = reports.map(({ statuses }) => statuses.at(-1));
    expect(finals.filter((status) => status === 200)).toHaveLength(1);
    expect(finals.filter((status) => status === 404)).toHaveLength(9);
    await eventually(async () => expect((await test.service.media.statistics()).sessions).toBe(0));
    expect((await test.api.callIn(callId, ['completed'])).end_reason).toBe('caller_hangup');
  });

  it('to an agent with unusual state names works like any other', async () => {
    const names = ['__proto__', 'a.b', '#x', '`', '🙂', 'constructor'];
    const states = names.map((name, index) => ({
      name,
      prompt: `In ${name}.`,
      transitions: [{ condition: `to ${index}`, destination_state_name: names[(index + 1) % names.length] }],
    }));
    const agent = await test.api.createAgent(talker({ states, initial_state_name: '__proto__', record_tape: true }));
    const { callId, said, hangUp } = await dialIn(test, agent.id);
    await said('Who are you?');
    await hangUp();
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended.end_reason).toBe('caller_hangup');
    expect(ended.transcript?.some(({ role }) => role === 'user')).toBe(true);
  });
});

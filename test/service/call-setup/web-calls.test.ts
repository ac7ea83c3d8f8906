import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decodeWav } from '../../../base/audio/wav.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { EMULATED_VOICE_HZ } from '../../providers/speech/tone-speech.ts';
import { makeTone, measureTone } from '../../rtp-peer/tone.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { createWebCall, WebCaller } from '../rig/web-caller.ts';

const CALLER_HZ = 700;
const RATE_HZ = 16_000;

describe('a web call', () => {
  let providers: EmulatedProviders;
  let test: TestService;
  let agentId: string;
  let talkativeId: string;
  const callers: WebCaller[] = [];

  beforeAll(async () => {
    providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who are you?', 1_200, 1_900) },
      keepAudio: true,
      chat: () => textAnswer('I am the agent.'),
    });
    test = await startTestService(providers.environment);
    agentId = (await test.api.createAgent(talker({ initial_message: 'Hello.' }))).id;
    talkativeId = (await test.api.createAgent(talker())).id;
  });
  afterEach(() => {
    for (const caller of callers.splice(0)) caller.socket.terminate();
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
  });

  const connect = (url: string, options: { origin?: string } = {}) => {
    const caller = new WebCaller(url, options);
    callers.push(caller);
    return caller;
  };
  const begin = async (agent = agentId) => {
    const created = await createWebCall(test, agent);
    const caller = connect(created.media_url, { origin: test.service.httpUrl });
    await caller.message('connected');
    return { ...created, caller };
  };

  it('carries and records audio in both directions, and is stored like a phone call', async () => {
    const { call_id: id, access_token: token, media_url: url, caller } = await begin();
    const segmentsEnded = () => caller.messages.filter(({ name }) => name === 'segment_ended').length;
    // The greeting, then the answer.
    await caller.until(() => segmentsEnded() === 1);
    caller.speak(makeTone(CALLER_HZ, 1_900, 4_000, RATE_HZ));
    await caller.until(() => segmentsEnded() === 2);
    caller.socket.send(JSON.stringify({ type: 'hangup' }));
    const ended = await caller.message('ended');
    expect(await caller.closed).toBe(1000);
    expect(ended).toEqual({ type: 'ended', end_reason: 'caller_hangup' });

    const call = await test.api.callIn(id, ['completed']);
    expect(call).toMatchObject({ type: 'web_call', from_number: null, to_number: null, end_reason: 'caller_hangup' });
    const lines = call.transcript?.map(({ role, content }) => `${role}: ${content}`);
    expect(lines).toEqual(['agent: Hello.', 'user: Who are you?', 'agent: I am the agent.']);
    expect(caller.transcript()).toEqual(lines);
    expect(caller.messages.map(({ type }) => type).slice(0, 2)).toEqual(['connected', 'state']);

    // The transcriber hears the user's tone in wideband, and the user hears the agent's tone.
    const listened = providers.deepgram.listens.at(-1);
    expect(listened?.query.get('encoding')).toBe('linear16');
    expect(listened?.query.get('sample_rate')).toBe('16000');
    const bytes = Buffer.concat([...(listened?.audio ?? [])]);
    const said = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 2 * RATE_HZ));
    expect(measureTone(said.subarray(4_000), CALLER_HZ, RATE_HZ).share).toBeGreaterThan(0.95);
    const voiced = caller.heard().filter((sample) => sample !== 0);
    expect(voiced.length).toBeGreaterThan(RATE_HZ);
    expect(caller.frames.every((frame) => frame.length === 640)).toBe(true);

    // A stall makes a gap in a recording. The tones are measured between gaps.
    const [left, right] = await recorded(id);
    expect(toneMs(left, CALLER_HZ)).toBeGreaterThan(500);
    expect(toneMs(right, EMULATED_VOICE_HZ)).toBeGreaterThan(500);
    expect(toneMs(left, EMULATED_VOICE_HZ)).toBe(0);
    expect(toneMs(right, CALLER_HZ)).toBe(0);

    // The token is valid once and never logged.
    expect(await connect(url).refused).toBe(410);
    expect(test.log()).not.toContain(token);
    expect(test.log()).toMatch(/"reason":"the token was used or has expired"/);
    const events = await eventsOf(id);
    for (const kind of ['event_call_started', 'event_transcript_updated', 'event_call_ended']) {
      expect(events).toContain(kind);
    }
  });

  it('drops unplayed audio in the browser on an interruption, and keeps the heard text', async () => {
    const { call_id: id, caller } = await begin(talkativeId);
    await caller.message('mark');
    const said = new Int16Array(2 * RATE_HZ);
    said.set(makeTone(CALLER_HZ, 1_200, 4_000, RATE_HZ), 0.8 * RATE_HZ);
    caller.speak(said);
    const interrupted = () =>
      caller.messages.find(({ entry }) => (entry as { interrupted?: boolean } | undefined)?.interrupted);
    await caller.until(() => interrupted() !== undefined);
    expect(caller.messages.some(({ type }) => type === 'clear')).toBe(true);
    caller.socket.close();
    const call = await test.api.callIn(id, ['completed']);
    const [greeting] = call.transcript ?? [];
    expect(greeting).toMatchObject({ role: 'agent', interrupted: true });
    expect(String(greeting?.generated_content).startsWith(greeting?.content ?? '-')).toBe(true);
    expect(call.end_reason).toBe('caller_hangup');
  });

  it('accepts DTMF digits from the page like digits from a phone', async () => {
    const { call_id: id, caller } = await begin();
    caller.speak();
    for (const digit of '42#') caller.socket.send(JSON.stringify({ type: 'dtmf', digit }));
    await caller.until(() => caller.transcript().includes('dtmf: 42#') || caller.transcript().includes('dtmf: 42'));
    caller.socket.close();
    await test.api.callIn(id, ['completed']);
  });

  it('continues on a second connection after the first broke, and refuses the first token', async () => {
    const { call_id: id, media_url: url, caller } = await begin(talkativeId);
    const { resume_token: resumeToken } = await caller.message('connected');
    await caller.until(() => caller.frames.length > 20);
    caller.socket.terminate();
    const resumeUrl = new URL(url);
    resumeUrl.searchParams.set('token', String(resumeToken));
    const again = connect(resumeUrl.href);
    const { resume_token: next } = await again.message('connected');
    expect(next).not.toBe(resumeToken);
    await again.until(() => again.heard().some((sample) => sample !== 0));
    expect(await connect(url).refused).toBe(410);
    expect(await connect(resumeUrl.href).refused).toBe(401);
    expect((await test.api.call(id)).status).toBe('in_progress');
    again.socket.close();
    const call = await test.api.callIn(id, ['completed']);
    expect(call.end_reason).toBe('caller_hangup');
    expect(call.transcript?.filter(({ role }) => role === 'agent')).toHaveLength(1);
  });

  it.each([
    {
      name: 'a frame of half a sample',
      send: (caller: WebCaller) => caller.socket.send(Buffer.alloc(641)),
      detail: 'whole 16-bit samples',
      code: 1008,
    },
    {
      name: 'a frame that is too long',
      send: (caller: WebCaller) => caller.socket.send(Buffer.alloc(3_202)),
      detail: '100 ms at most',
      code: 1008,
    },
    {
      name: 'a message that is too large',
      send: (caller: WebCaller) => caller.socket.send(Buffer.alloc(70_000)),
      detail: 'Max payload size exceeded',
      code: 1009,
    },
    {
      name: 'a text that is not a valid message',
      send: (caller: WebCaller) => caller.socket.send('{"type":"eval"}'),
      detail: 'unknown message',
      code: 1008,
    },
    {
      name: 'a flood',
      send: (caller: WebCaller) => {
        for (let i = 0; i < 2_000; i++) caller.socket.send(Buffer.alloc(2));
      },
      detail: 'too many messages',
      code: 1008,
    },
  ])('ends at $name, and no other call ends', async ({ send, code, detail }) => {
    const other = await begin(talkativeId);
    const { call_id: id, caller } = await begin(talkativeId);
    await caller.message('mark');
    send(caller);
    expect(await caller.closed).toBe(code);
    const call = await test.api.callIn(id, ['completed']);
    expect(call).toMatchObject({ end_reason: 'media_error', metrics: { end_detail: expect.stringContaining(detail) } });
    const frames = other.caller.frames.length;
    await other.caller.until(() => other.caller.frames.length > frames + 10);
    expect((await test.api.call(other.call_id)).status).toBe('in_progress');
    other.caller.socket.close();
    await test.api.callIn(other.call_id, ['completed']);
  });

  it('refuses a page of another origin, a wrong token and a plain request, and stays open for its user', async () => {
    const { call_id: id, media_url: url } = await createWebCall(test, agentId);
    expect(await connect(url, { origin: 'https://evil.example' }).refused).toBe(403);
    expect(await connect(url, { origin: 'null' }).refused).toBe(403);
    const wrong = new URL(url);
    wrong.searchParams.set('token', 'x'.repeat(32));
    expect(await connect(wrong.href).refused).toBe(401);
    expect(await connect(url.replace(/[0-9a-f]{12}\/media/, '000000000000/media')).refused).toBe(401);
    const plain = await fetch(url.replace(/^ws/, 'http'), { headers: { connection: 'close' } });
    expect(plain.status).toBe(404);
    expect((await test.api.call(id)).status).toBe('staged');
    expect((await test.api.send('POST', `/v1/calls/${id}/terminate`)).status).toBe(400);
    // A user that leaves before the agent has answered counts as not connected.
    const caller = connect(url);
    await caller.message('connected');
    caller.socket.close();
    expect((await test.api.callIn(id, ['completed', 'canceled'])).end_reason).toBe('caller_hangup');
  });

  it('expires together with its token after a minute without a connection', async () => {
    const { call_id: id, media_url: url } = await createWebCall(test, agentId);
    await test.service.repositories.calls.expireStaged(Date.now() + 60_001);
    expect(await test.api.call(id)).toMatchObject({ status: 'no_answer', end_reason: 'staging_timeout' });
    expect(await connect(url).refused).toBe(410);
  });

  it('accepts exactly one of several connections with its token at once', async () => {
    const { call_id: id, media_url: url } = await createWebCall(test, agentId);
    const all = Array.from({ length: 8 }, () => connect(url));
    const outcomes = await Promise.all(
      all.map((caller) => Promise.race([caller.refused, caller.message('connected').then(() => 101)])),
    );
    expect(outcomes.filter((status) => status === 101)).toHaveLength(1);
    expect(outcomes.filter((status) => status === 410)).toHaveLength(7);
    all[outcomes.indexOf(101)]?.socket.close();
    await test.api.callIn(id, ['completed', 'canceled']);
    await eventually(async () => expect((await test.service.media.statistics()).sessions).toBe(0));
  });

  it('cannot be joined by phone, and a staged phone call cannot be joined over the web', async () => {
    const { call_id: id } = await createWebCall(test, agentId);
    await expect(dialIn(test, agentId, { headers: { 'X-Service-Call-Id': id } })).rejects.toThrow('404');
    const staged = await test.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
    const url = `${test.service.httpUrl.replace('http', 'ws')}/v1/calls/${staged}/media?token=${'x'.repeat(32)}`;
    expect(await connect(url).refused).toBe(401);
  });

  /** Duration of the parts of 10 ms that contain almost only this tone: on a busy machine a frame of 20 ms may be between gaps. */
  function toneMs(samples: Int16Array, frequencyHz: number): number {
    let ms = 0;
    for (let at = 0; at + 80 <= samples.length; at += 80) {
      if (measureTone(samples.subarray(at, at + 80), frequencyHz).share > 0.9) ms += 10;
    }
    return ms;
  }

  async function recorded(id: string): Promise<[Int16Array, Int16Array]> {
    const { data = new Uint8Array() } = decodeWav(await readFile(join(test.dataDir, 'recordings', `${id}.wav`))) ?? {};
    const samples = new Int16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
    return [samples.filter((_, i) => i % 2 === 0), samples.filter((_, i) => i % 2 === 1)];
  }

  async function eventsOf(id: string): Promise<string> {
    const response = await fetch(`${test.service.httpUrl}/v1/calls/${id}/events`, {
      headers: { 'x-api-key': TEST_API_KEY },
    });
    return response.text();
  }
});

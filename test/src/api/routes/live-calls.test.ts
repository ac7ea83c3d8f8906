import { expect, it, onTestFinished } from 'vitest';
import { KEY_STREAMS_MAX } from '../../../../src/api/calls/event-stream-slots.ts';
import { KEY_TRUSTED_MS } from '../../../../src/api/calls/periodic-key-check.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

const BRIDGED_DIALOG = {
  sipCallId: 'bridge@trunkline',
  localUri: 'sip:agent@127.0.0.1',
  remoteUri: 'sip:desk@127.0.0.1',
  localCseq: 1,
  routeSet: [],
  remoteTarget: 'sip:desk@127.0.0.1:5060',
  transport: 'udp',
  source: { address: '127.0.0.1', port: 5060 },
} as const;

async function callInProgress(api: TestApi): Promise<string> {
  const call = newCall(await createAgent(api), { status: 'ringing', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: api.clock.nowMs });
  return call.id;
}

async function addTranscriptEntry(api: TestApi, callId: string, sequence: number): Promise<void> {
  const entry = { role: 'user', sequence, startUs: 0, endUs: 1, content: `line ${sequence}` } as const;
  const entries = [{ type: 'transcript', entry }] as const;
  await api.repositories.journal.appendJournal(callId, { startedWallMs: api.clock.nowMs, entries });
  api.eventWatchers.wake(callId);
}

async function end(api: TestApi, callId: string): Promise<void> {
  const callEnd = { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs } as const;
  await api.repositories.calls.finish(callId, callEnd);
  api.eventWatchers.wake(callId);
}

/** Reads an event stream over a real connection while the clock advances. */
async function watch(api: TestApi, callId: string, headers: Record<string, string> = {}) {
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const ticking = setInterval(() => api.clock.advance(100), 5);
  onTestFinished(() => clearInterval(ticking));
  const controller = new AbortController();
  const response = await fetch(`${url}/v1/calls/${callId}/events`, {
    headers: { 'x-api-key': ADMIN_KEY, ...headers },
    signal: controller.signal,
  });
  let text = '';
  const done = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })();
  return { response, done, text: () => text, leave: () => controller.abort() };
}

it('speech and information for the agent are passed to the call', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  expect((await api.ask('POST', `/v1/calls/${callId}/say`, { text: ' Hold on. ' })).body).toMatchObject({ data: null });
  await api.ask('POST', `/v1/calls/${callId}/say`, { text: 'Now!', interrupt: true });
  await api.ask('POST', `/v1/calls/${callId}/context`, { content: 'It was paid.' });
  const transfer = { destination: '+49 (30) 123456', mode: 'bridge', announcement: ' One moment. ' };
  await api.ask('POST', `/v1/calls/${callId}/transfer`, transfer);
  expect(api.callService.posted.map(({ request }) => request)).toEqual([
    { type: 'call.say', text: 'Hold on.', interrupt: false },
    { type: 'call.say', text: 'Now!', interrupt: true },
    { type: 'call.context', content: 'It was paid.' },
    {
      type: 'call.transfer',
      request: { destination: '+4930123456', mode: 'bridge', headers: {}, ringTimeoutMs: 30_000 },
      announcement: 'One moment.',
    },
  ]);
});

it('a recording is paused and resumed, also after a bridged transfer', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const ask = async (action: string, id = callId, key?: string) =>
    (await api.ask('POST', `/v1/calls/${id}/recording/${action}`, undefined, key)).status;
  expect(await ask('pause')).toBe(200);
  await api.repositories.calls.update(callId, { bridgedDialog: BRIDGED_DIALOG });
  expect(await ask('resume')).toBe(200);
  const posted = [{ type: 'call.pause_recording' }, { type: 'call.resume_recording' }];
  expect(api.callService.posted.map(({ request }) => request)).toEqual(posted);
  for (const action of ['pause', 'resume']) {
    expect(await ask(action, UNKNOWN_ID)).toBe(404);
    expect(await ask(action, callId, OTHER_KEY)).toBe(404);
    expect(await ask(action, callId, READ_KEY)).toBe(403);
    api.callService.outcome = 'not_taken';
    expect(await ask(action)).toBe(503);
    api.callService.outcome = 'posted';
  }
  await end(api, callId);
  expect([await ask('pause'), await ask('resume')]).toEqual([409, 409]);
  expect(api.callService.posted).toHaveLength(posted.length);
});

it('say is refused for calls that are not in progress, unknown or of another organization', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const say = async (id: string, key?: string) =>
    (await api.ask('POST', `/v1/calls/${id}/say`, { text: 'Hello' }, key)).status;
  expect(await say(UNKNOWN_ID)).toBe(404);
  expect(await say(callId, OTHER_KEY)).toBe(404);
  expect(await say(callId, READ_KEY)).toBe(403);
  api.callService.outcome = 'not_in_progress';
  expect(await say(callId)).toBe(409);
  expect((await api.ask('POST', `/v1/calls/${callId}/context`, { content: 'x' })).status).toBe(409);
  api.callService.outcome = 'posted';
  await end(api, callId);
  expect(await say(callId)).toBe(409);
  expect(api.callService.posted).toEqual([]);
});

it('requests to a call that was bridged to another party are refused: it has no agent', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  await api.repositories.calls.update(callId, { bridgedDialog: BRIDGED_DIALOG });
  for (const [action, body] of [
    ['say', { text: 'Hello' }],
    ['transfer', { destination: '+4930123456' }],
    ['context', { content: 'x' }],
  ] as const) {
    const { status, body: response } = await api.ask('POST', `/v1/calls/${callId}/${action}`, body);
    expect([status, response.error.message]).toEqual([409, 'The call has no agent: it was transferred']);
  }
  expect(api.callService.posted).toEqual([]);
});

it('a request that the node of the call does not accept is 503 with retry-after', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  api.callService.outcome = 'not_taken';
  for (const [action, body] of [
    ['say', { text: 'Hello' }],
    ['transfer', { destination: '+4930123456' }],
    ['context', { content: 'x' }],
  ] as const) {
    const { status, headers, body: response } = await api.ask('POST', `/v1/calls/${callId}/${action}`, body);
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    expect(response.error.message).toBe('The node of the call does not respond: retry');
  }
});

it.each([
  ['say', {}, 'text'],
  ['say', { text: '  ' }, 'text'],
  ['say', { text: 'x'.repeat(1_001) }, 'text'],
  ['say', { text: 'x', interrupt: 'yes' }, 'interrupt'],
  ['say', { text: 'x', loud: true }, 'loud'],
  ['transfer', {}, 'destination'],
  ['transfer', { destination: 'the desk' }, 'destination'],
  ['transfer', { destination: '+4930123456', mode: 'blind' }, 'mode'],
  ['transfer', { destination: '+4930123456', ring_timeout: 4 }, 'ring_timeout'],
  ['context', { content: '' }, 'content'],
  ['context', { content: 'x'.repeat(10_001) }, 'content'],
])('%s with a body %j is refused', async (action, body, field) => {
  const api = await testApi();
  const answer = await api.ask('POST', `/v1/calls/${UNKNOWN_ID}/${action}`, body);
  expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
});

it('an event stream sends past events, new events, and ends', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const stream = await watch(api, callId);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  await eventually(() => expect(stream.text()).toContain('id: 2\nevent: event_call_started\ndata: {"id":'));
  await addTranscriptEntry(api, callId, 1);
  await eventually(() => expect(stream.text()).toContain('line 1'));
  await end(api, callId);
  await stream.done;
  const ids = [...stream.text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  const last = JSON.parse(/data: (.*)\n\n$/.exec(stream.text())?.[1] ?? '');
  expect(last).toMatchObject({ type: 'event_call_ended', call_id: callId, sequence: 5 });
});

it('an event stream ends when its key is revoked', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const { organizations } = api.repositories;
  const stream = await watch(api, callId);
  await eventually(() => expect(stream.text()).toContain('event_call_started'));
  const key = await organizations.findKey(ADMIN_KEY);
  await organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
  api.clock.advance(KEY_TRUSTED_MS);
  await addTranscriptEntry(api, callId, 1);
  await stream.done;
  expect(stream.text()).not.toContain('line 1');
});

it('an event stream also sends the events after the call: recording and post-call answers', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const agentId = (await api.repositories.calls.find(callId))?.agentId;
  await api.ask('POST', `/v1/agents/${agentId}/post-call-questions`, { questions: [{ name: 'Why?', type: 'text' }] });
  await api.repositories.calls.update(callId, { recordingPath: 'recordings/x.wav' });
  const stream = await watch(api, callId);
  await end(api, callId);
  await eventually(() => expect(stream.text()).toContain('event_call_ended'));
  const data = { recording_url: 'http://calls.test/x', duration_seconds: 1, complete: true };
  const ready = { type: 'event_recording_ready', data, atMs: api.clock.nowMs } as const;
  await api.repositories.calls.update(callId, { recordingComplete: true }, [ready]);
  api.eventWatchers.wake(callId);
  await eventually(() => expect(stream.text()).toContain('event_recording_ready'));
  await api.repositories.postCall.finish(callId, [], api.clock.nowMs);
  api.eventWatchers.wake(callId);
  await stream.done;
  expect(stream.text()).toMatch(/event: event_post_call_answers_ready\ndata: .*\n\n$/);
});

it('an unfinished recording keeps a stream open for a minute, not longer', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  await api.repositories.calls.update(callId, { recordingPath: 'recordings/x.wav' });
  await end(api, callId);
  expect(await api.repositories.callEvents.isComplete(callId, api.clock.nowMs)).toBe(false);
  expect(await api.repositories.callEvents.isComplete(callId, api.clock.nowMs + 60_001)).toBe(true);
});

it('a stream resumes after Last-Event-ID, and is 204 when no events are left', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  await addTranscriptEntry(api, callId, 1);
  await end(api, callId);
  const stream = await watch(api, callId, { 'last-event-id': '3' });
  await stream.done;
  expect(stream.text()).not.toContain('id: 3\n');
  expect(stream.text()).toContain('id: 4\n');
  const again = await api.app.inject({
    url: `/v1/calls/${callId}/events`,
    headers: { 'x-api-key': ADMIN_KEY, 'last-event-id': '5' },
  });
  expect([again.statusCode, again.body]).toEqual([204, '']);
});

it('an idle stream gets keep-alives, and a closed stream leaves no timer', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const stream = await watch(api, callId);
  await eventually(() => expect(stream.text()).toContain(': keep-alive'));
  stream.leave();
  await expect(stream.done).rejects.toThrow();
  await eventually(() => expect(api.eventWatchers.watching).toBe(0));
});

it('a key may have a bounded number of streams open; a closed one makes room', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/v1/calls/${callId}/events`;
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const open = (key: string, { signal } = staying) => fetch(url, { headers: { 'x-api-key': key }, signal });
  const streams = [await open(ADMIN_KEY, leaving)];
  while (streams.length < KEY_STREAMS_MAX) streams.push(await open(ADMIN_KEY));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  const refused = await open(ADMIN_KEY);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await open(READ_KEY)).status, 'another key').toBe(200);
  const streamsAre = (count: number) =>
    eventually(() => {
      api.clock.advance(100);
      expect(api.eventWatchers.watching).toBe(count);
    });
  leaving.abort();
  await streamsAre(KEY_STREAMS_MAX);
  expect((await open(ADMIN_KEY)).status).toBe(200);
  staying.abort();
  await streamsAre(0);
});

it('a stream needs a key of the organization and a numeric Last-Event-ID', async () => {
  const api = await testApi();
  const callId = await callInProgress(api);
  const get = (key: string, id = '0') =>
    api.app.inject({ url: `/v1/calls/${callId}/events`, headers: { 'x-api-key': key, 'last-event-id': id } });
  expect((await get(OTHER_KEY)).statusCode).toBe(404);
  expect((await get('an unknown key that is long enough')).statusCode).toBe(401);
  const refused = await get(ADMIN_KEY, 'last');
  expect([refused.statusCode, refused.json().error.details[0].field]).toEqual([422, 'last-event-id']);
});

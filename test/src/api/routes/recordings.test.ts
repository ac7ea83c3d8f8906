import { once } from 'node:events';
import { appendFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ObjectStoreError } from '../../../../src/object-storage/object-store.ts';
import { ADMIN_KEY, createAgent, type TestApi, testApi } from '../test-api.ts';

const CALLER = '+4915112345678';
const DESK = '+493012345678';
const LINK_LIFETIME_MS = 90_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

async function stageCall(api: TestApi, agent: Record<string, unknown> = {}): Promise<string> {
  const agentId = await createAgent(api, agent);
  const { body } = await api.ask('POST', '/v1/calls/stage', {
    from_number: CALLER,
    to_number: DESK,
    agent_id: agentId,
  });
  return body.data.call_id;
}

async function recordedCall(api: TestApi, agent: Record<string, unknown> = {}): Promise<string> {
  const callId = await stageCall(api, agent);
  await mkdir(join(api.dataDir, 'recordings'));
  await writeFile(join(api.dataDir, 'recordings', `${callId}.wav`), 'RIFFsound');
  await api.repositories.calls.update(callId, { recordingPath: `recordings/${callId}.wav`, recordingComplete: true });
  return callId;
}

it('a recording is available with the key after the end of the call', async () => {
  const api = await testApi();
  const callId = await recordedCall(api);
  expect((await api.ask('GET', `/v1/calls/${callId}/recording`)).status).toBe(404);
  expect((await api.ask('GET', `/v1/calls/${callId}`)).body.data.recording_url).toBeNull();
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  const { status, text, headers } = await api.ask('GET', `/v1/calls/${callId}/recording`);
  expect([status, text]).toEqual([200, 'RIFFsound']);
  expect(headers).toMatchObject({ 'content-type': 'audio/wav', 'content-length': '9', 'accept-ranges': 'bytes' });
});

it('a range request returns only that part of a recording', async () => {
  const api = await testApi();
  const callId = await recordedCall(api);
  const end = { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs } as const;
  await api.repositories.calls.finish(callId, end);
  const { body } = await api.ask('GET', `/v1/calls/${callId}`);
  const url = body.data.recording_url.replace('http://calls.test', '');
  const part = await api.app.inject({ url, headers: { range: 'bytes=4-6' } });
  expect([part.statusCode, part.body]).toEqual([206, 'sou']);
  expect(part.headers).toMatchObject({ 'content-range': 'bytes 4-6/9', 'content-length': '3' });
});

it('a recording that grows during the download keeps its announced length', async () => {
  const api = await testApi();
  const callId = await recordedCall(api);
  await api.repositories.calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs: 0 });
  const file = join(api.dataDir, 'recordings', `${callId}.wav`);
  // More than the socket buffers can contain.
  const size = 64 * 1_048_576;
  await truncate(file, size);
  const socket = connect(Number(new URL(await api.app.listen()).port), '127.0.0.1');
  const head = ['Host: x', `X-Api-Key: ${ADMIN_KEY}`, 'Connection: close'].join('\r\n');
  socket.write(`GET /v1/calls/${callId}/recording HTTP/1.1\r\n${head}\r\n\r\n`);
  await once(socket, 'readable');
  await appendFile(file, 'and more');
  let received = 0;
  let headLength = 0;
  for await (const chunk of socket) {
    if (received === 0) headLength = chunk.indexOf('\r\n\r\n') + 4;
    received += chunk.length;
  }
  expect(received - headLength).toBe(size);
});

it('a permanent recording URL needs no key and does not expire; a wrong token is refused', async () => {
  const api = await testApi();
  const callId = await recordedCall(api);
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  const { body } = await api.ask('GET', `/v1/calls/${callId}`);
  expect(body.data.secure_recording_url).toBe(false);
  expect(body.data.recording_url).toMatch(/^http:\/\/calls\.test\/v1\/calls\/.*\/recording\?token=[\w-]{32}$/);
  const path = body.data.recording_url.replace('http://calls.test', '');
  api.clock.advance(365 * 24 * 3_600_000);
  expect((await api.app.inject(path)).body).toBe('RIFFsound');
  expect((await api.app.inject(`${path}x`)).statusCode).toBe(401);
  expect((await api.app.inject(path.replace(/token=.*/, ''))).statusCode).toBe(401);
  expect((await api.app.inject(path.replace(callId, UNKNOWN_ID))).statusCode).toBe(401);
});

it('a protected recording URL is signed for its lifetime and one call', async () => {
  const api = await testApi({ recordingLinkMs: LINK_LIFETIME_MS });
  const callId = await recordedCall(api, { secure_recording_urls: true });
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  const { body } = await api.ask('GET', `/v1/calls/${callId}`);
  expect(body.data.secure_recording_url).toBe(true);
  const path = body.data.recording_url.replace('http://calls.test', '');
  const token = (await api.repositories.calls.find(callId))?.recordingToken;
  expect((await api.app.inject(`/v1/calls/${callId}/recording?token=${token}`)).statusCode).toBe(401);
  expect((await api.app.inject(path.replace(/expires=\d+/, `expires=${api.clock.nowMs + 9_999_999}`))).statusCode).toBe(
    401,
  );
  api.clock.advance(LINK_LIFETIME_MS - 1);
  expect((await api.app.inject(path)).body).toBe('RIFFsound');
  api.clock.advance(1);
  expect((await api.app.inject(path)).statusCode).toBe(401);
});

it.each([
  ['no recording of its agent', {}, 'not_recorded'],
  ['a disk below its low-water mark', { recordingComplete: false }, 'disk'],
])('a call without a recording says why: %s', async (_case, patch, reason) => {
  const api = await testApi();
  const callId = await stageCall(api);
  const read = async () => {
    const { recording_url, recording_unavailable_reason } = (await api.ask('GET', `/v1/calls/${callId}`)).body.data;
    return [recording_url, recording_unavailable_reason];
  };
  expect(await read()).toEqual([null, 'not_ended']);
  await api.repositories.calls.update(callId, patch);
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  expect(await read()).toEqual([null, reason]);
  expect((await api.ask('DELETE', `/v1/calls/${callId}`)).status).toBe(200);
  expect(await read()).toEqual([null, 'deleted']);
});

it('a recording that the user has refused is not offered, even before its path is removed', async () => {
  const api = await testApi();
  const callId = await recordedCall(api);
  const consent = { type: 'consent', consent: 'refused', atUs: 0 } as const;
  await api.repositories.journal.appendJournal(callId, { entries: [consent], startedWallMs: api.clock.nowMs });
  const atMs = api.clock.nowMs;
  await api.repositories.calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs });
  const { data } = (await api.ask('GET', `/v1/calls/${callId}`)).body;
  expect([data.recording_url, data.recording_unavailable_reason]).toEqual([null, 'refused']);
  expect((await api.ask('GET', `/v1/calls/${callId}/recording`)).status).toBe(404);
});

it('a consent that is taken back is no answer, and keeps the transcript', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  const said = { role: 'user', sequence: 0, startUs: 0, endUs: 1, content: 'Hello there.' } as const;
  await api.repositories.journal.appendJournal(callId, {
    entries: [
      { type: 'transcript', entry: said },
      { type: 'consent', consent: 'given', atUs: 2 },
      { type: 'consent', consent: 'not_asked', atUs: 3 },
    ],
    startedWallMs: api.clock.nowMs,
  });
  const { data } = (await api.ask('GET', `/v1/calls/${callId}`)).body;
  expect(data).toMatchObject({ recording_consent: 'not_asked', transcript: [{ content: 'Hello there.' }] });
});

it('a recording whose file is missing is 404', async () => {
  const api = await testApi();
  const callId = await stageCall(api);
  await api.repositories.calls.update(callId, { recordingPath: 'recordings/gone.wav' });
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  expect((await api.ask('GET', `/v1/calls/${callId}/recording`)).status).toBe(404);
});

it('a recording that is not in the object store yet is 503, also after days, and 404 once it is deleted', async () => {
  const api = await testApi({ isSpooled: true });
  const callId = await recordedCall(api);
  const atMs = api.clock.nowMs;
  await api.repositories.calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs });
  await rm(join(api.dataDir, 'recordings', `${callId}.wav`));
  const url = `/v1/calls/${callId}/recording`;
  const { headers, status } = await api.ask('GET', url);
  expect([status, headers['retry-after']]).toEqual([503, '5']);
  api.clock.nowMs += 3 * 24 * 60 * 60 * 1_000;
  expect((await api.ask('GET', url)).status).toBe(503);
  await api.ask('DELETE', `/v1/calls/${callId}`);
  expect((await api.ask('GET', url)).status).toBe(404);
});

it('a recording is 503 while the object store is unreachable', async () => {
  const unreachable = async () => {
    throw new ObjectStoreError('unreachable');
  };
  const api = await testApi({ isSpooled: true, files: { put: unreachable, find: unreachable, delete: unreachable } });
  const callId = await recordedCall(api);
  const atMs = api.clock.nowMs;
  await api.repositories.calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs });
  expect((await api.ask('GET', `/v1/calls/${callId}/recording`)).status).toBe(503);
  expect((await api.ask('DELETE', `/v1/calls/${callId}`)).status).toBe(503);
  // It can be deleted again.
  expect((await api.ask('GET', `/v1/calls/${callId}`)).body.data.recording_url).not.toBeNull();
});

it('a recording whose object cannot be read is 503, without the headers of a recording', async () => {
  const read = async () => {
    throw new ObjectStoreError('unreachable');
  };
  const files = { put: read, find: async () => ({ size: 9, read, close: async () => {} }), delete: async () => {} };
  const api = await testApi({ isSpooled: true, files });
  const callId = await recordedCall(api);
  const atMs = api.clock.nowMs;
  await api.repositories.calls.finish(callId, { status: 'completed', endReason: 'caller_hangup', atMs });
  const answer = await api.ask('GET', `/v1/calls/${callId}/recording`);
  expect(answer.status).toBe(503);
  expect(answer.body.status).toBe(503);
});

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayCommand } from '../../../../src/cli/commands/replay.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, START_MS, temporaryFolder } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

it('returns the tape of a call as a file that replays, and 404 without a tape and to another organization', async () => {
  const api = await testApi();
  const call = newCall(await createAgent(api));
  await api.repositories.calls.createCall(call);
  const url = `/v1/calls/${call.id}/tape`;
  expect(await api.ask('GET', url)).toMatchObject({ status: 404, body: { message: 'Tape not found' } });
  await cp('fixtures/calls/presence', join(api.dataDir, 'tapes', call.id), { recursive: true });
  expect((await api.ask('GET', url, undefined, OTHER_KEY)).status).toBe(404);
  const { body, statusCode } = await api.app.inject({ url, headers: { 'x-api-key': READ_KEY } });
  expect(statusCode).toBe(200);
  const file = join(await temporaryFolder(), 'tape.json');
  await writeFile(file, body);
  expect(await replayCommand([file], { write: () => true })).toBe(0);
});

it('is 503 while the node of the call may still have the tape, for a day after the end, and 404 once it cannot have it', async () => {
  const api = await testApi({ isSpooled: true, nodeId: 'one' });
  const { calls } = createRepositories(api.database, 'two');
  const store = async (fields: Parameters<typeof createAgent>[1], { createCall } = calls) => {
    const call = newCall(await createAgent(api, fields));
    await createCall(call);
    return call.id;
  };
  const ask = (id: string) => api.ask('GET', `/v1/calls/${id}/tape`);
  const taped = await store({ record_tape: true });
  const running = await ask(taped);
  expect([running.status, running.headers['retry-after']]).toEqual([503, '60']);
  expect(running.body.message).toContain('The call has not ended');
  const end = {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
    patch: { metrics: {} },
  } as const;
  await calls.finish(taped, end);
  api.clock.nowMs += DAY_MS;
  const ended = await ask(taped);
  expect([ended.status, ended.headers['retry-after']]).toEqual([503, '5']);
  api.clock.nowMs += 1;
  expect((await ask(taped)).status).toBe(404);
  expect((await ask(await store({}))).status, 'no tape').toBe(404);
  const canceled = await store({ record_tape: true });
  await calls.finish(canceled, { status: 'canceled', endReason: 'canceled', atMs: api.clock.nowMs });
  expect((await ask(canceled)).status, 'no engine has run').toBe(404);
  const own = createRepositories(api.database, 'one').calls;
  expect((await ask(await store({ record_tape: true }, own))).status, 'of this node').toBe(404);
  const deleted = await store({ record_tape: true });
  await calls.finish(deleted, { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs });
  await api.ask('DELETE', `/v1/calls/${deleted}`);
  expect((await ask(deleted)).status, 'deleted').toBe(404);
});

it('returns 404 after the content of the call was deleted, also while its tape is being completed', async () => {
  const api = await testApi();
  const call = newCall(await createAgent(api));
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs: START_MS });
  expect((await api.ask('DELETE', `/v1/calls/${call.id}`)).status).toBe(200);
  await cp('fixtures/calls/presence', join(api.dataDir, 'tapes', call.id), { recursive: true });
  const answer = await api.ask('GET', `/v1/calls/${call.id}/tape`);
  expect(answer).toMatchObject({ status: 404, body: { message: 'Tape not found' } });
});

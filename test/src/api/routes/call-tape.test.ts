import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayCommand } from '../../../../src/cli/commands/replay.ts';
import { newCall, temporaryFolder } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, READ_KEY, testApi } from '../test-api.ts';

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

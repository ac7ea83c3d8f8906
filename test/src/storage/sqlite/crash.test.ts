import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createOrganizationRepository } from '../../../../src/storage/access/organization-repository.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { START_MS, storeAgent, temporaryFolder } from '../temporary-database.ts';

/** Enough for groups of every size in progress when the process is killed. */
const ANSWERED_BEFORE_THE_KILL = 300;

it('a process killed during writes leaves every confirmed call complete and in progress', async () => {
  const dataDir = await temporaryFolder();
  const before = await openDatabase({ dataDir });
  await createOrganizationRepository(before).ensureDefault(START_MS);
  const agentId = await storeAgent(before);
  await before.close();

  const file = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [file, dataDir, agentId], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const answered: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    answered.push(id);
    if (answered.length === ANSWERED_BEFORE_THE_KILL) child.kill('SIGKILL');
  }
  await gone;

  const after = await openDatabase({ dataDir });
  onTestFinished(() => after.close());
  const inFlight = await createCallRepository(after).callsInFlight();
  const kept = new Set(inFlight.map(({ id }) => id));
  expect(answered.filter((id) => id.length === 36 && !kept.has(id))).toEqual([]);
  expect(answered.length).toBeGreaterThanOrEqual(ANSWERED_BEFORE_THE_KILL);
  expect(new Set(inFlight.map(({ listedUs }) => listedUs)).size).toBe(inFlight.length);
});

import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deleteCallContent } from '../../../../src/background/retention/call-deletion.ts';
import { Retention } from '../../../../src/background/retention/retention.ts';
import { createFolderStore } from '../../../../src/object-storage/folder-store.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { FakeClock } from '../../api/test-api.ts';
import { newCall, START_MS, storeAgent, temporaryFolder } from '../../storage/temporary-database.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const HOUR_MS = 60 * 60 * 1_000;

async function setUp() {
  const dataDir = await temporaryFolder();
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  const repositories = createRepositories(database);
  await repositories.organizations.ensureDefault(START_MS);
  const agentId = await storeAgent(database);
  const clock = new FakeClock();
  const swept: number[] = [];
  const faults: (string | null)[] = [];
  const retention = new Retention({
    days: 7,
    deletion: repositories.callDeletion,
    files: createFolderStore(dataDir),
    dataDir,
    clock,
    onSwept: (deleted) => swept.push(deleted),
    onFault: (callId) => faults.push(callId),
  });
  onTestFinished(() => retention.stop());

  /** Creates a call with a transcript entry and a recording. `endMs` null: the call is in progress. */
  const call = async (endMs: number | null) => {
    const stored = newCall(agentId, { status: 'in_progress' });
    await repositories.calls.createCall(stored);
    const recordingPath = join('recordings', `${stored.id}.wav`);
    await mkdir(join(dataDir, 'recordings'), { recursive: true });
    await writeFile(join(dataDir, recordingPath), 'RIFF');
    await repositories.calls.update(stored.id, { recordingPath });
    await repositories.journal.appendJournal(stored.id, {
      startedWallMs: START_MS,
      entries: [{ type: 'transcript', entry: { role: 'user', sequence: 1, startUs: 0, endUs: 1, content: 'secret' } }],
    });
    const end = { status: 'completed', endReason: 'caller_hangup' } as const;
    if (endMs !== null) await repositories.calls.finish(stored.id, { ...end, atMs: endMs });
    return { id: stored.id, file: join(dataDir, recordingPath) };
  };
  const isKept = async ({ id, file }: { readonly id: string; readonly file: string }) => {
    const lines = await repositories.journal.transcript(id);
    const onDisk = await access(file).then(
      () => true,
      () => false,
    );
    expect(onDisk).toBe(lines.length > 0);
    return onDisk;
  };
  /** Runs one sweep, up to the timer of the next one. */
  const sweep = async (start = () => retention.start()) => {
    start();
    await expect.poll(() => clock.waiting, { timeout: 20_000 }).toBe(1);
  };
  return { call, clock, dataDir, faults, isKept, repositories, retention, swept, sweep };
}

it('the content of a call is deleted after the retention period; its record is kept', async () => {
  const { call, clock, isKept, repositories, swept, sweep } = await setUp();
  const old = await call(START_MS);
  const younger = await call(START_MS + HOUR_MS);
  const running = await call(null);
  clock.nowMs = START_MS + 7 * DAY_MS;
  await sweep();
  expect([await isKept(old), await isKept(younger), await isKept(running)]).toEqual([true, true, true]);
  expect(swept).toEqual([]);

  await sweep(() => clock.advance(HOUR_MS));
  expect([await isKept(old), await isKept(younger), await isKept(running)]).toEqual([false, true, true]);
  expect(await repositories.calls.find(old.id)).toMatchObject({ status: 'completed', endMs: START_MS });
  await sweep(() => clock.advance(HOUR_MS));
  expect([await isKept(younger), await isKept(running)]).toEqual([false, true]);
  expect(swept).toEqual([1, 1]);
});

it('one sweep deletes a backlog of several pages, and continues after a call that cannot be deleted', async () => {
  const { call, clock, faults, isKept, repositories, swept, sweep } = await setUp();
  const stuck = await call(START_MS);
  // A non-empty folder cannot be removed as a file.
  await rm(stuck.file);
  await mkdir(join(stuck.file, 'inside'), { recursive: true });
  const calls = await Promise.all(Array.from({ length: 120 }, (_, at) => call(START_MS + (at % 3))));
  clock.nowMs = START_MS + 8 * DAY_MS;
  await sweep();
  expect(swept).toEqual([120]);
  expect(faults).toEqual([stuck.id]);
  expect(await repositories.journal.transcript(stuck.id)).toHaveLength(1);
  for (const deleted of calls) expect(await isKept(deleted)).toBe(false);
});

it('what a crash left of a recording that was to be redacted is deleted with its call', async () => {
  const { call, clock, dataDir, sweep } = await setUp();
  const { id } = await call(START_MS);
  const recordings = join(dataDir, 'recordings');
  await mkdir(join(recordings, `${id}.redacting`));
  for (const name of [`${id}.unredacted.wav`, `${id}.redactions.jsonl`, join(`${id}.redacting`, 'part.wav')])
    await writeFile(join(recordings, name), 'RIFF');
  clock.nowMs = START_MS + 8 * DAY_MS;
  await sweep();
  expect(await readdir(recordings)).toEqual([]);
});

it('after the stop nothing is deleted and no timer is left', async () => {
  const { call, clock, isKept, retention, sweep } = await setUp();
  await sweep();
  const old = await call(START_MS);
  clock.nowMs = START_MS + 30 * DAY_MS;
  await retention.stop();
  expect(clock.waiting).toBe(0);
  expect(await isKept(old)).toBe(true);
});

it('a deletion that failed after its rows were deleted deletes the recording when it is repeated', async () => {
  const { call, dataDir, repositories } = await setUp();
  const { file, id } = await call(START_MS);
  const deletion = repositories.callDeletion;
  const files = createFolderStore(dataDir);
  const options = { deletion, files, dataDir };
  // An upload of another node ends between the deletion of the files and of the rows. Then the store fails.
  let isUnreachable = false;
  const failing = {
    dataDir,
    deletion: {
      deleteContent: async (...given: Parameters<typeof deletion.deleteContent>) => {
        await writeFile(file, 'RIFF');
        isUnreachable = true;
        return deletion.deleteContent(...given);
      },
    },
    files: { delete: (key: string) => (isUnreachable ? Promise.reject(new Error('unreachable')) : files.delete(key)) },
  };
  await expect(deleteCallContent(id, failing, START_MS + 1)).rejects.toThrow('unreachable');
  expect(await deleteCallContent(id, options, START_MS + 2)).toBe(true);
  expect(await readdir(join(dataDir, 'recordings'))).toEqual([]);
});

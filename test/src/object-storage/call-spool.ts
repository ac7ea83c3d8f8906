import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CallDeletionOptions, deleteCallContent } from '../../../src/background/retention/call-deletion.ts';
import { TAPE_FILES, tapeKey } from '../../../src/object-storage/call-files.ts';
import { CallUploads, type CallUploadsOptions } from '../../../src/object-storage/call-uploads.ts';
import { createFolderStore } from '../../../src/object-storage/folder-store.ts';
import { createSpooledStore } from '../../../src/object-storage/spooled-store.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { FakeClock } from '../api/test-api.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase, temporaryFolder } from '../storage/temporary-database.ts';

export const SECOND_MS = 1_000;

/** A data directory as a spool, and the rows of calls. */
async function callsWithFiles() {
  const database = await temporaryDatabase();
  const { calls, callDeletion } = createRepositories(database, 'own');
  const agentId = await storeAgent(database);
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'recordings'));
  /** A call with a recording, and perhaps a tape; `end` stores its end. */
  const call = async ({ isTaped = false } = {}) => {
    const created = newCall(agentId, { status: 'ringing' });
    await calls.createCall(created);
    const { id } = created;
    const recordingPath = `recordings/${id}.wav`;
    await calls.setStatus(id, { from: ['ringing'], to: 'in_progress', atMs: START_MS, patch: { recordingPath } });
    await writeFile(join(dataDir, recordingPath), 'sound');
    if (isTaped) {
      await mkdir(join(dataDir, 'tapes', id), { recursive: true });
      for (const file of TAPE_FILES) await writeFile(join(dataDir, tapeKey(id, file)), file);
    }
    const finish = () =>
      calls.finish(id, { status: 'completed', endReason: 'caller_hangup', atMs: START_MS + SECOND_MS });
    const complete = () => calls.update(id, { recordingComplete: true }, []);
    const end = async () => {
      await finish();
      await complete();
    };
    return { id, recordingPath, finish, complete, end };
  };
  const unanswered = async () => {
    const created = newCall(agentId, { status: 'ringing' });
    await calls.createCall(created);
    await calls.finish(created.id, { status: 'failed', endReason: 'node_lost', atMs: START_MS });
    return created;
  };
  return { call, unanswered, callDeletion, calls, dataDir, findCall: (callId: string) => calls.find(callId) };
}

/** The spool with a store that can be unreachable. */
export async function spool() {
  const { call, callDeletion, calls, dataDir, findCall, unanswered } = await callsWithFiles();
  const bucket = await temporaryFolder();
  const inBucket = createFolderStore(bucket);
  const clock = new FakeClock();
  const logged: [object, string][] = [];
  const puts: string[] = [];
  const state = { isUnreachable: false };
  const store: CallUploadsOptions['store'] = {
    put: async (key, path, options) => {
      puts.push(key);
      if (state.isUnreachable) throw new Error('unreachable');
      await inBucket.put(key, path, options);
    },
    delete: (key) => inBucket.delete(key),
  };
  const write = (fields: object, event: string) => void logged.push([fields, event]);
  const options: CallUploadsOptions = {
    store,
    findCall,
    dataDir,
    nodeId: 'own',
    clock,
    log: { info: write, warn: write },
  };
  /** Deletes the content of a call, on any node. `before`: what happens before its rows are changed. */
  const deleteContent = async (callId: string, before = async () => {}) => {
    const deletion: CallDeletionOptions['deletion'] = {
      deleteContent: async (...given) => {
        await before();
        return callDeletion.deleteContent(...given);
      },
    };
    const files = createSpooledStore(createFolderStore(dataDir), inBucket);
    return deleteCallContent(callId, { deletion, files, dataDir }, START_MS + 2 * SECOND_MS);
  };
  const namesIn = async (folder: string) => (await readdir(join(folder, 'recordings')).catch(() => [])).toSorted();
  /** A process that opens the spool and sends what was left. */
  const start = async (more: Partial<CallUploadsOptions> = {}) => {
    const uploads = await CallUploads.open({ ...options, ...more });
    uploads.start();
    await uploads.settled();
    return uploads;
  };
  const [spooled, stored] = [() => namesIn(dataDir), () => namesIn(bucket)];
  return {
    bucket,
    call,
    calls,
    unanswered,
    clock,
    deleteContent,
    inBucket,
    logged,
    options,
    puts,
    spooled,
    start,
    state,
    stored,
  };
}

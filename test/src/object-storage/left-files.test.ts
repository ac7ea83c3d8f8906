import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNREDACTED_SUFFIXES } from '../../../src/object-storage/call-files.ts';
import type { CallUploadsOptions } from '../../../src/object-storage/call-uploads.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';
import { spool } from './call-spool.ts';

/** What a killed process may leave of a recording, at any stage. */
async function leaveUnfinished(dataDir: string, callId: string): Promise<void> {
  const path = (suffix: string) => join(dataDir, 'recordings', `${callId}${suffix}`);
  const { copies, known, recording } = UNREDACTED_SUFFIXES;
  await mkdir(path(copies));
  for (const name of ['.wav', recording, known, join(copies, 'part.wav')]) await writeFile(path(name), 'sound');
}

describe('the recording of a call', () => {
  it('that was deleted on another node leaves the spool with all that it is made of, and is not sent', async () => {
    const { call, deleteContent, options, puts, spooled, start } = await spool();
    const one = await call();
    await one.end();
    await deleteContent(one.id);
    await leaveUnfinished(options.dataDir, one.id);
    await start();
    expect([await spooled(), puts]).toEqual([[], []]);
  });

  it.each(Object.values(UNREDACTED_SUFFIXES))(
    'that was deleted leaves the spool if only its %s is left',
    async (last) => {
      const { call, deleteContent, options, spooled, start } = await spool();
      const one = await call();
      await one.end();
      await deleteContent(one.id);
      await writeFile(join(options.dataDir, 'recordings', `${one.id}${last}`), 'sound');
      await start();
      expect(await spooled()).toEqual([]);
    },
  );

  it('that was deleted during its upload is deleted in the store by the process that finds it after a kill', async () => {
    const { call, deleteContent, options, spooled, start, stored } = await spool();
    const one = await call();
    await one.end();
    const copy = join(await temporaryFolder(), 'copy');
    const put: CallUploadsOptions['store']['put'] = async (key, path) => {
      await copyFile(path, copy);
      await deleteContent(one.id);
      await options.store.put(key, copy);
      // The file of another node is still in its spool.
      await copyFile(copy, path);
      throw new Error('killed here');
    };
    await start({ store: { ...options.store, put } });
    expect(await stored()).toEqual([`${one.id}.wav`]);
    await start();
    expect([await spooled(), await stored()]).toEqual([[], []]);
  });

  it('that a kill left of an unanswered call leaves the spool, and is not sent', async () => {
    const { options, puts, spooled, start, unanswered } = await spool();
    const { id } = await unanswered();
    await leaveUnfinished(options.dataDir, id);
    await start();
    expect([await spooled(), puts]).toEqual([[], []]);
  });

  it('that is on the disk of another node does not wait here', async () => {
    const { call, options, spooled, start } = await spool();
    const one = await call();
    await one.finish();
    await rm(join(options.dataDir, one.recordingPath));
    const adopting = await start({ nodeId: 'adopting' });
    adopting.add(one.id);
    await adopting.settled();
    expect(adopting.backlog().calls).toBe(0);
    const own = await start();
    own.add(one.id);
    await own.settled();
    expect(own.backlog().calls).toBe(1);
    expect(await spooled()).toEqual([]);
  });
});

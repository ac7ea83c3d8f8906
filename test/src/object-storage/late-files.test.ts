import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tapeKey } from '../../../src/object-storage/call-files.ts';
import { CHECK_MS_MAX, LateFiles, type LateFilesOptions } from '../../../src/object-storage/late-files.ts';
import { spool } from './call-spool.ts';

async function setUp() {
  const { call, calls, deleteContent, options, spooled } = await spool();
  const { dataDir } = options;
  const faults: (string | null)[] = [];
  const started = (more: Partial<LateFilesOptions> = {}) =>
    new LateFiles({ dataDir, calls, onFault: (callId) => void faults.push(callId), ...more });
  /** An ended call whose content was deleted before its recording and its tape were complete. */
  const deleted = async () => {
    const one = await call();
    await one.finish();
    await deleteContent(one.id);
    await writeFile(join(dataDir, one.recordingPath), 'sound');
    await mkdir(join(dataDir, 'tapes', one.id), { recursive: true });
    await writeFile(join(dataDir, tapeKey(one.id, 'tape.jsonl')), 'words');
    return one;
  };
  return { call, deleted, faults, spooled, started, tapes: () => readdir(join(dataDir, 'tapes')).catch(() => []) };
}

describe('the files of a call without an object store', () => {
  it('are removed if they were completed after the deletion of its content, and kept otherwise', async () => {
    const { call, deleted, faults, spooled, started, tapes } = await setUp();
    const one = await deleted();
    const kept = await call({ isTaped: true });
    await kept.end();
    const late = started();
    late.add(one.id);
    late.add(kept.id);
    await late.stop();
    expect([await spooled(), await tapes()]).toEqual([[`${kept.id}.wav`], [kept.id]]);
    expect(faults).toEqual([]);
  });

  it('are removed if the database fails once', async () => {
    const { deleted, faults, spooled, started, tapes } = await setUp();
    const one = await deleted();
    let reads = 0;
    const deletedAmong = async (callIds: readonly string[]) => {
      reads += 1;
      if (reads === 1) throw new Error('unreachable');
      return [...callIds];
    };
    const late = started({ calls: { deletedAmong } });
    late.add(one.id);
    await late.stop();
    expect([await spooled(), await tapes(), faults]).toEqual([[], [], []]);
  });

  it('are removed at the next start if they could not be checked, and kept otherwise', async () => {
    const { call, deleted, faults, spooled, started, tapes } = await setUp();
    await deleted();
    const kept = await call({ isTaped: true });
    await kept.end();
    const late = started();
    late.start();
    await expect.poll(tapes).toEqual([kept.id]);
    await late.stop();
    expect([await spooled(), await tapes()]).toEqual([[`${kept.id}.wav`], [kept.id]]);
    expect(faults).toEqual([]);
  });

  it('hold a stop no longer than one check while the database stands still, and are reported', async () => {
    const { deleted, faults, started } = await setUp();
    const one = await deleted();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = started({ calls: { deletedAmong: () => new Promise(() => {}) } });
    late.add(one.id);
    let isStopped = false;
    void late.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(CHECK_MS_MAX);
    expect([isStopped, faults]).toEqual([true, [one.id]]);
  });

  it('are reported if they cannot be removed', async () => {
    const { deleted, faults, started } = await setUp();
    const one = await deleted();
    const late = started({ dataDir: '\0' });
    late.add(one.id);
    await late.stop();
    expect(faults).toEqual([one.id]);
  });
});

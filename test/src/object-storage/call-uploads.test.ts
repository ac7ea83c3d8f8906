import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TAPE_FILES, tapeKey } from '../../../src/object-storage/call-files.ts';
import { CallUploads, type CallUploadsOptions } from '../../../src/object-storage/call-uploads.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';
import { SECOND_MS, spool } from './call-spool.ts';

const RETRIES_MS = [5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * SECOND_MS);
const DELAYED_MS = 30 * SECOND_MS;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

describe('the recording of a call', () => {
  it('leaves the spool once the store has it', async () => {
    const { bucket, call, options, spooled, stored } = await spool();
    const one = await call();
    await one.end();
    const uploads = await CallUploads.open({ ...options });
    uploads.add(one.id);
    expect(uploads.backlog().calls).toBe(1);
    await uploads.settled();
    expect([await spooled(), await stored()]).toEqual([[], [`${one.id}.wav`]]);
    expect(await readFile(join(bucket, one.recordingPath), 'utf8')).toBe('sound');
    expect(uploads.backlog()).toEqual({ calls: 0, oldestMs: 0 });
  });

  it('stays in the spool while its call goes on, and until it is known to be complete', async () => {
    const { call, clock, puts, spooled, start } = await spool();
    const one = await call();
    const uploads = await start();
    await one.finish();
    clock.advance(clock.nextDueMs - clock.nowMs);
    await uploads.settled();
    expect(puts).toEqual([]);
    await one.complete();
    clock.advance(clock.nextDueMs - clock.nowMs);
    await uploads.settled();
    expect(await spooled()).toEqual([]);
  });

  it('is sent at once if it is complete before the end of a pass that found it incomplete', async () => {
    const { call, options, spooled } = await spool();
    const [one, other] = [await call(), await call()];
    await one.finish();
    await other.end();
    const uploads = await CallUploads.open({
      ...options,
      store: {
        ...options.store,
        // The recording is repaired while another one is sent.
        put: async (key, ...more) => {
          if (key === other.recordingPath) {
            await one.complete();
            uploads.start();
          }
          await options.store.put(key, ...more);
        },
      },
      findCall: async (callId) => {
        if (callId === other.id) await found.promise;
        const row = await options.findCall(callId);
        if (callId === one.id) found.resolve();
        return row;
      },
    });
    const found = Promise.withResolvers<void>();
    uploads.start();
    await uploads.settled();
    expect(await spooled()).toEqual([]);
  });

  it('is still there after a day without the store and a kill each hour, and is sent then', async () => {
    const { call, clock, spooled, start, state, stored } = await spool();
    const one = await call();
    await one.end();
    state.isUnreachable = true;
    // A killed process stops nothing: its uploads are just left.
    for (let hour = 0; hour < 24; hour++) {
      await start();
      clock.nowMs += DAY_MS / 24;
    }
    expect([await spooled(), await stored()]).toEqual([[`${one.id}.wav`], []]);
    state.isUnreachable = false;
    await start();
    expect([await spooled(), await stored()]).toEqual([[], [`${one.id}.wav`]]);
  });

  it('is in the store after a kill between the upload and the deletion from the spool', async () => {
    const { call, options, spooled, start, state, stored } = await spool();
    const one = await call();
    await one.end();
    const put: CallUploadsOptions['store']['put'] = async (...given) => {
      await options.store.put(...given);
      throw new Error('killed here');
    };
    await start({ store: { ...options.store, put } });
    expect([await spooled(), await stored()]).toEqual([[`${one.id}.wav`], [`${one.id}.wav`]]);
    state.isUnreachable = false;
    await start();
    expect([await spooled(), await stored()]).toEqual([[], [`${one.id}.wav`]]);
  });

  it('that is deleted during its upload is nowhere afterwards', async () => {
    const { call, deleteContent, options, spooled, start, stored } = await spool();
    const one = await call();
    await one.end();
    const copy = join(await temporaryFolder(), 'copy');
    const put: CallUploadsOptions['store']['put'] = async (key, path) => {
      await copyFile(path, copy);
      await deleteContent(one.id);
      await options.store.put(key, copy);
    };
    await start({ store: { ...options.store, put } });
    expect([await spooled(), await stored()]).toEqual([[], []]);
  });

  it('that arrives in the store between the deletion of its files and of its rows is deleted with them', async () => {
    const { call, deleteContent, inBucket, stored } = await spool();
    const one = await call();
    await one.end();
    const copy = join(await temporaryFolder(), 'copy');
    await writeFile(copy, 'sound');
    await deleteContent(one.id, () => inBucket.put(one.recordingPath, copy));
    expect(await stored()).toEqual([]);
  });
});

describe('the tape of a call', () => {
  it('leaves the spool once the store has all of it, and its folder too', async () => {
    const { bucket, call, options, puts, start } = await spool();
    const one = await call({ isTaped: true });
    await one.end();
    await start();
    for (const file of TAPE_FILES) expect(await readFile(join(bucket, tapeKey(one.id, file)), 'utf8')).toBe(file);
    expect(await readdir(join(options.dataDir, 'tapes'))).toEqual([]);
    // A reader that finds the agent of a tape also finds the rest.
    expect(puts.at(-1)).toBe(tapeKey(one.id, 'agent.json'));
  });

  it('stays whole in the spool if the store takes only a part', async () => {
    const { call, options, spooled, start, stored } = await spool();
    const one = await call({ isTaped: true });
    await one.end();
    const put: CallUploadsOptions['store']['put'] = async (key, ...more) => {
      if (key.endsWith('agent.json')) throw new Error('unreachable');
      await options.store.put(key, ...more);
    };
    await start({ store: { ...options.store, put } });
    expect(await readdir(join(options.dataDir, 'tapes', one.id))).toHaveLength(TAPE_FILES.length);
    expect([await spooled(), await stored()]).toEqual([[`${one.id}.wav`], [`${one.id}.wav`]]);
  });

  it('is sent after a kill that left it without its recording', async () => {
    const { bucket, call, options, start } = await spool();
    const one = await call({ isTaped: true });
    await one.end();
    await rm(join(options.dataDir, one.recordingPath));
    await start();
    expect(await readdir(join(bucket, 'tapes', one.id))).toHaveLength(TAPE_FILES.length);
  });

  it('is deleted from the spool and from the store with the content of its call', async () => {
    const { bucket, call, deleteContent, options, start } = await spool();
    const [sent, waiting] = [await call({ isTaped: true }), await call({ isTaped: true })];
    await sent.end();
    await start();
    await waiting.end();
    await deleteContent(sent.id);
    await deleteContent(waiting.id);
    expect(await readdir(join(bucket, 'tapes', sent.id))).toEqual([]);
    expect(await readdir(join(options.dataDir, 'tapes'))).toEqual([]);
  });
});

describe('an unreachable store', () => {
  it('is asked again after pauses that grow to five minutes, however many calls end', async () => {
    const { call, clock, puts, start, state, stored } = await spool();
    await (await call()).end();
    state.isUnreachable = true;
    const uploads = await start();
    const pauses: number[] = [];
    for (const _ of RETRIES_MS) {
      const ended = await call();
      await ended.end();
      const asked = puts.length;
      uploads.add(ended.id);
      await uploads.settled();
      expect(puts.length).toBe(asked);
      pauses.push(clock.nextDueMs - clock.nowMs);
      if (pauses.length === RETRIES_MS.length) state.isUnreachable = false;
      clock.advance(pauses.at(-1) ?? 0);
      await uploads.settled();
    }
    expect(pauses).toEqual(RETRIES_MS);
    expect(await stored()).toHaveLength(1 + RETRIES_MS.length);
    expect(uploads.backlog().calls).toBe(0);
  });

  it('gets at most a dozen requests in a pass, whatever waits', async () => {
    const { call, puts, start, state } = await spool();
    for (let index = 0; index < 30; index++) await (await call()).end();
    state.isUnreachable = true;
    const uploads = await start();
    expect(puts.length).toBeLessThanOrEqual(12);
    expect(uploads.backlog().calls).toBe(30);
  });

  it('is reported with the backlog, and again when it takes files', async () => {
    const { call, clock, logged, start, state } = await spool();
    await (await call()).end();
    state.isUnreachable = true;
    const uploads = await start();
    clock.advance(3 * SECOND_MS);
    expect(uploads.backlog()).toEqual({ calls: 1, oldestMs: 3 * SECOND_MS });
    state.isUnreachable = false;
    clock.advance(clock.nextDueMs - clock.nowMs);
    await uploads.settled();
    expect(logged).toEqual([
      [{ calls: 1 }, 'spooled call files found'],
      [expect.objectContaining({ waiting: 1, retry_ms: RETRIES_MS[0] }), 'call file upload failed'],
      [{ waiting: 0 }, 'call file uploads resumed'],
    ]);
  });
});

describe('a store that stands still', () => {
  it('is reported after 30 s, once for all uploads, and again when it takes files', async () => {
    const { call, clock, logged, options } = await spool();
    for (let index = 0; index < 2; index++) await (await call()).end();
    const standing = Promise.withResolvers<void>();
    const put: CallUploadsOptions['store']['put'] = async (...given) => {
      await standing.promise;
      await options.store.put(...given);
    };
    const uploads = await CallUploads.open({ ...options, store: { ...options.store, put } });
    uploads.start();
    await eventually(() => expect(clock.waiting).toBe(2));
    const found = [{ calls: 2 }, 'spooled call files found'];
    const delayed = [{ waiting: 2, ms: DELAYED_MS }, 'call file upload delayed'];
    clock.advance(DELAYED_MS - 1);
    expect(logged).toEqual([found]);
    clock.advance(1);
    expect(logged).toEqual([found, delayed]);
    standing.resolve();
    await uploads.settled();
    const next = await call();
    await next.end();
    uploads.add(next.id);
    await uploads.settled();
    expect(logged).toEqual([found, delayed, [{ waiting: 1 }, 'call file uploads resumed']]);
  });

  it('is reported with the first upload that fails, before the others have ended', async () => {
    const { call, logged, options } = await spool();
    const [first, second] = [await call(), await call()];
    await first.end();
    await second.end();
    const standing = Promise.withResolvers<void>();
    const put: CallUploadsOptions['store']['put'] = async (key) => {
      if (key === second.recordingPath) throw new Error('unreachable');
      await standing.promise;
    };
    const uploads = await CallUploads.open({ ...options, store: { ...options.store, put } });
    uploads.start();
    const failed = [expect.objectContaining({ waiting: 2 }), 'call file upload failed'];
    await eventually(() => expect(logged.at(-1)).toEqual(failed));
    standing.resolve();
    await uploads.settled();
    expect(logged.at(-1)).toEqual(failed);
    expect(logged).toHaveLength(2);
  });
});

it('recordings that cannot be sent keep no other from the store', async () => {
  const { call, clock, options, stored } = await spool();
  const broken = new Set<string>();
  const findCall: CallUploadsOptions['findCall'] = async (callId) => {
    if (broken.has(callId)) throw new Error('unreadable');
    return options.findCall(callId);
  };
  const uploads = await CallUploads.open({ ...options, findCall });
  // More than the failures that end a pass.
  for (let index = 0; index < 12; index++) broken.add((await call()).id);
  const whole = await call();
  await whole.end();
  for (const id of [...broken, whole.id]) uploads.add(id);
  await uploads.settled();
  expect(await stored()).toEqual([]);
  clock.advance(clock.nextDueMs - clock.nowMs);
  await uploads.settled();
  expect(await stored()).toEqual([`${whole.id}.wav`]);
});

it('a stop waits for the running uploads, and ends them after ten seconds', async () => {
  const { call, clock, options, spooled } = await spool();
  const one = await call();
  await one.end();
  const began = Promise.withResolvers<void>();
  const put: CallUploadsOptions['store']['put'] = (_key, _path, { signal } = {}) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('ended')));
      began.resolve();
    });
  const uploads = await CallUploads.open({ ...options, store: { ...options.store, put } });
  uploads.add(one.id);
  await began.promise;
  const stopped = uploads.stop();
  clock.advance(10 * SECOND_MS);
  await stopped;
  expect(await spooled()).toEqual([`${one.id}.wav`]);
  expect(clock.waiting).toBe(0);
});

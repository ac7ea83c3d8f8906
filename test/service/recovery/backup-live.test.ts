import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, stat, truncate, watch } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeWav } from '../../../base/audio/wav.ts';
import { temporaryFolder } from '../../src/storage/temporary-database.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

const CLI = join(resolve(import.meta.dirname, '../../..'), 'trunkline.js');
const LIVE_CALLS = 3;
/** Long enough to write that a kill arrives in the middle. */
const LONG_RECORDING_BYTES = 64 * 1024 * 1024;

function trunkline(dataDir: string, ...args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir };
  const child = spawn(process.execPath, [CLI, ...args], {
    env,
    cwd: resolve(dataDir, '..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += String(text);
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit').then(([status]) => ({ status, errors })) };
}

/** Resolves when the folder has an entry of this name. */
async function appears(folder: string, name: string): Promise<void> {
  const controller = new AbortController();
  const watched = (async () => {
    for await (const { filename } of watch(folder, { signal: controller.signal })) if (filename === name) return;
  })();
  await Promise.race([watched, eventually(async () => expect(await readdir(folder)).toContain(name))]);
  controller.abort();
  await watched.catch(() => undefined);
}

describe('a backup of a service that takes calls', () => {
  it('restores with its recordings; the calls in progress are ended', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const service = await startServiceProcess(providers.environment);
    onTestFinished(() => service.kill());
    const { id } = await service.api.createAgent(talker({ initial_message: 'Hello.', recording: true }));
    const done = await dialIn(service, id);
    await done.said('Hello.');
    await done.hangUp();
    await service.api.callIn(done.callId, ['completed']);
    const live = await Promise.all(Array.from({ length: LIVE_CALLS }, () => dialIn(service, id)));
    for (const { callId } of live) {
      const recording = join(service.dataDir, 'recordings', `${callId}.wav`);
      await eventually(async () => expect((await stat(recording)).size).toBeGreaterThan(8_000));
    }
    const file = join(await temporaryFolder(), 'backup.tar');
    expect(await trunkline(service.dataDir, 'backup', file, '--with-master-key').ended).toMatchObject({ status: 0 });
    // The calls went on.
    for (const call of live) {
      expect(await service.api.call(call.callId)).toMatchObject({ status: 'in_progress' });
      expect((await call.hangUp()).endedBy).toBe('caller');
      await service.api.callIn(call.callId, ['completed']);
    }
    const dataDir = join(await temporaryFolder(), 'data');
    await mkdir(dataDir);
    expect(await trunkline(dataDir, 'restore', file).ended).toMatchObject({ status: 0 });
    const restored = await startServiceProcess({ ...providers.environment, DATA_DIR: dataDir });
    onTestFinished(() => restored.kill());
    expect(await restored.api.call(done.callId)).toMatchObject({ status: 'completed', end_reason: 'caller_hangup' });
    for (const { callId } of [done, ...live]) {
      await restored.api.callIn(callId, ['completed']);
      const response = await fetch(`${restored.httpUrl}/v1/calls/${callId}/recording`, {
        headers: { 'x-api-key': TEST_API_KEY },
      });
      expect(response.status).toBe(200);
      expect(decodeWav(new Uint8Array(await response.arrayBuffer()))?.data.length).toBeGreaterThan(0);
    }
    for (const { callId } of live) expect(await restored.api.call(callId)).toMatchObject({ end_reason: 'shutdown' });
  });

  it('leaves no half backup and no half restore when it is killed', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const service = await startServiceProcess(providers.environment);
    onTestFinished(() => service.kill());
    const { id } = await service.api.createAgent(talker({ initial_message: 'Hello.', recording: true }));
    const call = await dialIn(service, id);
    await call.said('Hello.');
    await call.hangUp();
    await service.api.callIn(call.callId, ['completed']);
    const recording = join(service.dataDir, 'recordings', `${call.callId}.wav`);
    const original = await readFile(recording);
    await truncate(recording, LONG_RECORDING_BYTES);
    const folder = await temporaryFolder();
    const file = join(folder, 'backup.tar');
    const backup = trunkline(service.dataDir, 'backup', file);
    await appears(folder, 'backup.tar.partial');
    backup.child.kill('SIGKILL');
    await backup.ended;
    expect((await readdir(folder)).filter((name) => !/\.(partial|paths)$/.test(name))).toEqual([]);
    const dataDir = join(await temporaryFolder(), 'data');
    await mkdir(dataDir);
    await cp(join(service.dataDir, 'master.key'), join(dataDir, 'master.key'));
    const refused = await trunkline(dataDir, 'restore', `${file}.partial`).ended;
    expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining('is no complete backup') });
    expect(await trunkline(service.dataDir, 'backup', file).ended).toMatchObject({
      status: 1,
      errors: expect.stringContaining('was interrupted: then remove it'),
    });
    for (const name of await readdir(folder)) await rm(join(folder, name));
    expect(await trunkline(service.dataDir, 'backup', file).ended).toMatchObject({ status: 0 });

    const restore = trunkline(dataDir, 'restore', file);
    await appears(dataDir, 'recordings');
    restore.child.kill('SIGKILL');
    await restore.ended;
    // The database appears last: with it, the kill came too late, and the restore is whole.
    if (!(await readdir(dataDir)).includes('trunkline.db')) {
      await rm(join(dataDir, 'recordings'), { recursive: true });
      expect(await trunkline(dataDir, 'restore', file).ended).toMatchObject({ status: 0 });
    }
    expect((await readFile(join(dataDir, 'recordings', `${call.callId}.wav`))).subarray(0, original.length)).toEqual(
      original,
    );
  });
});

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeWav } from '../../../base/audio/wav.ts';
import { BUCKET, CREDENTIALS, hasMoto, REGION, startMoto } from '../../src/object-storage/moto.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

const storageOf = (endpoint: string) => ({
  STORAGE_URL: `s3://${BUCKET}?endpoint=${endpoint}&region=${REGION}`,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
});
/** Nothing listens there. */
const AWAY = storageOf('http://127.0.0.1:1');

describe.skipIf(!hasMoto())('a service that is killed while its object store is unreachable', () => {
  it('sends the recordings of ended calls and of calls in progress after its restart', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const moto = await startMoto();
    onTestFinished(() => moto.close());
    const first = await startServiceProcess({ ...providers.environment, ...AWAY });
    onTestFinished(() => first.kill());
    const { id } = await first.api.createAgent(talker({ recording: true, initial_message: 'Hello.' }));
    const ended = await dialIn(first, id);
    await ended.said('Hello.');
    await ended.hangUp();
    await first.api.callIn(ended.callId, ['completed']);
    await eventually(() => expect(first.output()).toContain('call file upload failed'));
    const live = await dialIn(first, id);
    const spool = join(first.dataDir, 'recordings');
    // Audio is on the disk.
    await eventually(async () => expect((await stat(join(spool, `${live.callId}.wav`))).size).toBeGreaterThan(8_000));
    await first.kill();
    expect((await readdir(spool)).toSorted()).toEqual([`${ended.callId}.wav`, `${live.callId}.wav`].toSorted());

    const second = await startServiceProcess({
      ...providers.environment,
      ...storageOf(moto.endpoint),
      DATA_DIR: first.dataDir,
    });
    onTestFinished(async () => void (await second.stop()));
    await eventually(async () => expect(await readdir(spool)).toEqual([]));
    for (const callId of [ended.callId, live.callId]) {
      const url = `${second.httpUrl}/v1/calls/${callId}/recording`;
      const response = await fetch(url, { headers: { 'x-api-key': TEST_API_KEY } });
      expect(response.status).toBe(200);
      const wav = decodeWav(new Uint8Array(await response.arrayBuffer()));
      expect(wav?.data.length).toBeGreaterThan(0);
    }
  });
});

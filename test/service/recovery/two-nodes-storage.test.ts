import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeWav } from '../../../base/audio/wav.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { BUCKET, CREDENTIALS, hasMoto, REGION, startMoto } from '../../src/object-storage/moto.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

async function recordingOf({ httpUrl }: ServiceProcess, callId: string): Promise<Response> {
  return fetch(`${httpUrl}/v1/calls/${callId}/recording`, { headers: { 'x-api-key': TEST_API_KEY } });
}

describe.skipIf(!hasMoto() || !hasPostgres())('two nodes on one database and one bucket', () => {
  it('serve the recordings of each other once they are in the bucket, and delete them for each other', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const moto = await startMoto();
    onTestFinished(() => moto.close());
    const environment = {
      ...providers.environment,
      DATABASE_URL: await temporaryPostgresUrl(),
      TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      STORAGE_URL: `s3://${BUCKET}/node?endpoint=${moto.endpoint}&region=${REGION}&ssetype=AES256`,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
    const [one, two] = await Promise.all([
      startServiceProcess({ ...environment, RTP_PORTS: '19300-19399' }),
      startServiceProcess({ ...environment, RTP_PORTS: '19400-19499' }),
    ]);
    onTestFinished(() => Promise.all([one.kill(), two.kill()]).then(() => undefined));
    const { id } = await one.api.createAgent(talker({ initial_message: 'Hello.', recording: true }));
    const call = await dialIn(one, id);
    await call.said('Hello.');
    const spool = join(one.dataDir, 'recordings');
    await eventually(async () => expect((await stat(join(spool, `${call.callId}.wav`))).size).toBeGreaterThan(8_000));
    await call.hangUp();
    await two.api.callIn(call.callId, ['completed']);
    await eventually(async () => expect(await readdir(spool)).toEqual([]));
    expect(await readdir(join(two.dataDir, 'recordings'))).toEqual([]);
    for (const node of [two, one]) {
      const response = await recordingOf(node, call.callId);
      expect(response.status).toBe(200);
      expect(decodeWav(new Uint8Array(await response.arrayBuffer()))?.data.length).toBeGreaterThan(0);
    }
    expect((await two.api.send('DELETE', `/v1/calls/${call.callId}`)).status).toBeLessThan(300);
    for (const node of [one, two]) expect((await recordingOf(node, call.callId)).status).toBe(404);
  });
});

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeWav } from '../../../base/audio/wav.ts';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { BUCKET, CREDENTIALS, hasMoto, keysIn, REGION, startMoto } from '../../src/object-storage/moto.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

async function recordingOf({ httpUrl }: ServiceProcess, callId: string): Promise<Response> {
  return fetch(`${httpUrl}/v1/calls/${callId}/recording`, { headers: { 'x-api-key': TEST_API_KEY } });
}

/** Nodes that share a database and a bucket. */
async function twoNodes() {
  const providers = await startEmulatedProviders();
  onTestFinished(() => providers.close());
  const moto = await startMoto();
  onTestFinished(() => moto.close());
  const url = await temporaryPostgresUrl();
  const environment = {
    ...providers.environment,
    DATABASE_URL: url,
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
  return { environment, endpoint: moto.endpoint, url, one, two };
}

describe.skipIf(!hasMoto() || !hasPostgres())('two nodes on one database and one bucket', () => {
  it('serve the recordings of each other once they are in the bucket, and delete them for each other', async () => {
    const { one, two } = await twoNodes();
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

  it('leave nothing of a call whose node was killed, and that was deleted before that node was restarted', {
    timeout: 240_000,
  }, async () => {
    const { environment, endpoint, url, one, two } = await twoNodes();
    const redaction = { entities: ['card'], audio: 'tone' };
    const { id } = await one.api.createAgent(talker({ initial_message: 'Hello.', recording: true, redaction }));
    const call = await dialIn(one, id);
    await call.said('Hello.');
    const spool = join(one.dataDir, 'recordings');
    const unredacted = join(spool, `${call.callId}.unredacted.wav`);
    // Audio is on the disk.
    await eventually(async () => expect((await stat(unredacted)).size).toBeGreaterThan(8_000));
    const nodeId = (await readFile(join(one.dataDir, 'node.id'), 'utf8')).trim();
    await one.kill();
    // Ends the lease of the killed node at once.
    for (const table of ['nodes WHERE id', 'node_duties WHERE node_id']) {
      await administrate(url, `DELETE FROM ${table} = '${nodeId}'`);
    }
    expect(await two.api.callIn(call.callId, ['completed'])).toMatchObject({ end_reason: 'node_lost' });
    // The recording is on the disk of the killed node: it may still come.
    await eventually(async () => expect((await recordingOf(two, call.callId)).status).toBe(503));
    expect((await two.api.send('DELETE', `/v1/calls/${call.callId}`)).status).toBeLessThan(300);
    expect(await readdir(spool)).toContain(`${call.callId}.unredacted.wav`);

    const again = await startServiceProcess({ ...environment, DATA_DIR: one.dataDir, RTP_PORTS: '19300-19399' });
    onTestFinished(() => again.kill());
    await eventually(async () => expect(await readdir(spool)).toEqual([]));
    expect(await keysIn(endpoint)).toEqual([]);
    expect((await recordingOf(again, call.callId)).status).toBe(404);
  });
});

import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayCommand } from '../../../src/cli/commands/replay.ts';
import { tapeCommand } from '../../../src/cli/commands/tape-export.ts';
import { TAPE_FILES } from '../../../src/object-storage/call-files.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { BUCKET, CREDENTIALS, hasMoto, type Moto, REGION, startMoto } from '../../src/object-storage/moto.ts';
import { temporaryFolder } from '../../src/storage/temporary-database.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { createWebCall, WebCaller } from '../rig/web-caller.ts';

describe.skipIf(!hasMoto())('a service with an S3-compatible store', () => {
  let moto: Moto;
  let providers: EmulatedProviders;
  let test: TestService;
  let client: S3Client;

  const storage = () => ({
    STORAGE_URL: `s3://${BUCKET}/test?endpoint=${moto.endpoint}&region=${REGION}`,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  });

  beforeAll(async () => {
    moto = await startMoto();
    client = new S3Client({
      endpoint: moto.endpoint,
      region: REGION,
      forcePathStyle: true,
      credentials: CREDENTIALS,
    });
    providers = await startEmulatedProviders({ chat: () => textAnswer('I am the agent.') });
    test = await startTestService({
      ...providers.environment,
      ...storage(),
    });
  });
  afterAll(async () => {
    await test?.close();
    await providers?.close();
    client?.destroy();
    await moto?.close();
  });

  const keys = async (callId: string) => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    return Contents.flatMap(({ Key = '' }) => (Key.includes(callId) ? [Key] : [])).toSorted();
  };
  /** A call that was recorded and has ended. */
  const recordedCall = async () => {
    const agent = await test.api.createAgent(talker({ initial_message: 'Hello.', recording: true }));
    const { call_id: id, media_url: url } = await createWebCall(test, agent.id);
    const caller = new WebCaller(url, { origin: test.service.httpUrl });
    await caller.until(() => caller.messages.some(({ name }) => name === 'segment_ended'));
    caller.socket.send(JSON.stringify({ type: 'hangup' }));
    await test.api.callIn(id, ['completed']);
    return id;
  };
  const download = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${test.service.httpUrl}/v1/calls/${id}/recording`, { headers: { 'x-api-key': TEST_API_KEY, ...headers } });

  it('has the recording of an ended call in the store alone, and serves it from there', async () => {
    const id = await recordedCall();
    await eventually(async () => expect(await readdir(join(test.dataDir, 'recordings'))).toEqual([]));
    const key = `test/recordings/${id}.wav`;
    expect(await keys(id)).toContain(key);
    const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    const stored = (await Body?.transformToByteArray()) ?? new Uint8Array();
    const served = await download(id);
    expect([served.status, served.headers.get('content-type'), ContentType]).toEqual([200, 'audio/wav', 'audio/wav']);
    expect(hashOf(new Uint8Array(await served.arrayBuffer()))).toBe(hashOf(stored));
    const part = await download(id, { range: 'bytes=0-3' });
    expect([part.status, await part.text()]).toEqual([206, 'RIFF']);
  });

  it('has the tape of an ended call in the store alone, from which the API and the commands read it', async () => {
    const id = await recordedCall();
    await eventually(async () => expect(await readdir(join(test.dataDir, 'tapes'))).toEqual([]));
    const served = await fetch(`${test.service.httpUrl}/v1/calls/${id}/tape`, {
      headers: { 'x-api-key': TEST_API_KEY },
    });
    const folder = await temporaryFolder();
    const file = join(folder, 'tape.json');
    await writeFile(file, await served.text());
    expect(await replayCommand([file], { write: () => true })).toBe(0);
    const copy = join(folder, 'copy');
    const said: string[] = [];
    const environment = { ...storage(), DATA_DIR: test.dataDir };
    expect(await tapeCommand(['export', id, copy], environment, { write: (line) => said.push(line) })).toBe(0);
    expect(said).toEqual([`${copy}\n`]);
    expect(await replayCommand([copy], { write: () => true })).toBe(0);
  });

  it('deletes recording and tape from the store with the content of its call', async () => {
    const id = await recordedCall();
    await eventually(async () => expect(await keys(id)).toHaveLength(1 + TAPE_FILES.length));
    expect((await test.api.send('DELETE', `/v1/calls/${id}`)).status).toBe(200);
    expect(await keys(id)).toEqual([]);
    expect((await download(id)).status).toBe(404);
  });
});

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

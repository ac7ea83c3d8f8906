import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { textAnswer } from '../../providers/openai/chat-script.ts';
import { makeTone } from '../../rtp-peer/tone.ts';
import { BUCKET, CREDENTIALS, hasMoto, REGION, startMoto } from '../../src/object-storage/moto.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { filesBelow } from './files-below.ts';
import { channelsOf, windowsWith } from './recorded-channels.ts';

/** The user's speech: a number that ends, and one that the crash cuts off. */
const SAID = ['My card is 4111 1111 1111 1111 thanks', 'And the other one is 5500 0055'];
const LINE_MS = 4_000;
const ANSWER = 'I have 4111 1111 1111 1111.';
const PLANTED = /4111\D?1111|1111\D?1111|5500\D?0055/;
/** The sound of the user while the numbers are said. */
const NUMBER_HZ = 1_500;
const TONE_HZ = 1_000;

const storageOf = (endpoint: string) => ({
  STORAGE_URL: `s3://${BUCKET}?endpoint=${endpoint}&region=${REGION}`,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
});

/** The objects of the store by their keys. */
async function objects(endpoint: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials: CREDENTIALS });
  try {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    const found = Contents.map(async ({ Key = '' }) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      return [Key, (await Body?.transformToByteArray()) ?? new Uint8Array()] as const;
    });
    return new Map(await Promise.all(found));
  } finally {
    client.destroy();
  }
}

describe.skipIf(!hasMoto()).each(['0', '2'])(
  'a service with redaction and %s call hosts that is killed in a call',
  (hosts) => {
    it('leaves no number in its database, its files, the log, webhooks and the object store', async () => {
      const events = await startEventReceiver();
      const moto = await startMoto();
      const providers = await startEmulatedProviders({
        listen: {
          steps: SAID.flatMap((line, nth) =>
            heardLine(line, 1_000 + nth * 2 * LINE_MS, 1_000 + nth * 2 * LINE_MS + LINE_MS),
          ),
        },
        chat: () => textAnswer(ANSWER),
      });
      onTestFinished(async () => void (await Promise.all([events.close(), moto.close(), providers.close()])));
      const environment = {
        ...providers.environment,
        ...storageOf(moto.endpoint),
        CALL_HOSTS: hosts,
        LOG_LEVEL: 'debug',
        HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      };
      const first = await startServiceProcess(environment);
      onTestFinished(() => first.kill());
      const { id } = await first.api.createAgent(
        talker({
          initial_message: '',
          record_tape: true,
          recording: true,
          redaction: { entities: ['card'], audio: 'tone' },
          webhook_url: events.url,
          webhook_subscriptions: [...WEBHOOK_EVENT_TYPES],
        }),
      );
      const { callId } = await dialIn(first, id, { audio: makeTone(NUMBER_HZ, 60_000), pace: 'peer' });
      await eventually(async () => expect(JSON.stringify(await first.api.call(callId))).toContain('one is [number]'));
      await first.kill();
      const crashed = await filesBelow(first.dataDir);

      const second = await startServiceProcess({ ...environment, DATA_DIR: first.dataDir });
      onTestFinished(async () => {
        await second.stop();
        await rm(first.dataDir, { recursive: true, force: true });
      });
      const key = `recordings/${callId}.wav`;
      await eventually(async () => expect((await objects(moto.endpoint)).has(key)).toBe(true));
      await eventually(() => expect(events.arrivals.map(({ type }) => type)).toContain('event_recording_ready'));
      const stored = await objects(moto.endpoint);
      await second.stop();

      const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
      const places = new Map([
        ...[...crashed].map(([path, text]) => [`crashed: ${path}`, text] as const),
        ...(await filesBelow(first.dataDir)),
        ...[...stored].map(([path, bytes]) => [path, latin(bytes)] as const),
        ['log', first.output() + second.output()],
        ['webhooks', events.arrivals.map(({ body }) => body).join('\n')],
      ]);
      const given = [...places].flatMap(([place, text]) => (PLANTED.test(text) ? [place] : []));
      expect(given).toEqual([]);
      expect([...crashed.keys()].some((path) => path.endsWith('-wal'))).toBe(true);
      expect(await readdir(join(first.dataDir, 'recordings'))).toEqual([]);
      // The second number was not judged before the crash: the end of the recording is a tone.
      const { user } = channelsOf(stored.get(key) ?? new Uint8Array());
      const lastMs = windowsWith(user, TONE_HZ).at(-1) ?? 0;
      expect(lastMs).toBeGreaterThan(0);
      expect(windowsWith(user, NUMBER_HZ).every((at) => at < lastMs)).toBe(true);
    });
  },
);

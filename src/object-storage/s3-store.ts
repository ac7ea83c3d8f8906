import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { StorageSettings } from '../configuration/storage-settings.ts';
import { type ObjectStore, storeStep } from './object-store.ts';

/** Size of a part of a multipart upload, bytes: the least that S3 takes is 5 MiB. Two hours of recording are 28 parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts of one object that are sent at once: 16 MiB of memory an upload. */
const PARTS_AT_ONCE = 2;
/** Tries of one request, with the SDK's growing pauses; the caller repeats the whole upload. */
const ATTEMPTS = 3;
/** A store that accepts no connection in this time, ms, is unreachable. */
const CONNECTION_MS_MAX = 5_000;
/** Silence on a connection after which the request fails, ms. */
const SILENCE_MS_MAX = 30_000;
/** A read or a deletion that the store has not answered in this time, ms, with all its tries, fails: a client of the API waits for it. */
const ANSWER_MS_MAX = 10_000;
/** Connections at once: four uploads of two parts, and downloads beside them; more requests wait. */
const CONNECTIONS_MAX = 50;
/** Region for stores that have none: MinIO, Garage and moto take it. AWS' is never guessed. */
const ANY_REGION = 'us-east-1';
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.wav', 'audio/wav'],
  ['.json', 'application/json'],
  ['.jsonl', 'application/x-ndjson'],
  ['.pdf', 'application/pdf'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** Objects in a bucket of an S3-compatible store. The only module that imports the AWS SDK; import it only where it is used. */
export function createS3Store(settings: StorageSettings, answerMsMax = ANSWER_MS_MAX): ObjectStore {
  const { bucket, encryption, prefix } = settings;
  const client = createClient(settings);
  const at = (key: string) => ({ Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` });
  const encrypted = encryption !== null && {
    ServerSideEncryption: encryption.algorithm,
    ...(encryption.keyId !== null && { SSEKMSKeyId: encryption.keyId }),
  };
  return {
    put: (key, path, { signal } = {}) =>
      storeStep(`storing ${key}`, async () => {
        const ContentType = CONTENT_TYPES.get(extname(key)) ?? 'application/octet-stream';
        const object = { ...at(key), ContentType, ...encrypted };
        const { size } = await stat(path);
        signal?.throwIfAborted();
        if (size <= PART_BYTES) {
          // `Upload` would send a single request to its end, in spite of an abort.
          const command = new PutObjectCommand({ ...object, Body: await readFile(path) });
          await client.send(command, signal === undefined ? {} : { abortSignal: signal });
          return;
        }
        const params = { ...object, Body: createReadStream(path) };
        const upload = new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE });
        const abort = () => void upload.abort();
        signal?.addEventListener('abort', abort);
        await upload.done().finally(() => signal?.removeEventListener('abort', abort));
      }),
    find: (key) =>
      storeStep(`reading ${key}`, async () => {
        const head = await within(answerMsMax, (limit) => client.send(new HeadObjectCommand(at(key)), limit)).catch(
          (error: unknown) => {
            if (error instanceof NotFound) return null;
            throw error;
          },
        );
        if (head === null) return null;
        return {
          size: head.ContentLength ?? 0,
          read: (range) =>
            storeStep(`reading ${key}`, async () => {
              const Range = range === null ? {} : { Range: `bytes=${range.start}-${range.end}` };
              const command = new GetObjectCommand({ ...at(key), ...Range });
              const { Body } = await within(answerMsMax, (limit) => client.send(command, limit));
              if (!(Body instanceof Readable)) throw new Error('the store sent no stream');
              return Body;
            }),
          close: async () => undefined,
        };
      }),
    delete: (key) =>
      storeStep(`deleting ${key}`, async () => {
        await within(answerMsMax, (limit) => client.send(new DeleteObjectCommand(at(key)), limit));
      }),
    close: () => client.destroy(),
  };
}

/** Ends the request if the store has not begun to answer in time. What it sends afterwards may take longer. */
async function within<T>(ms: number, send: (limit: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await send({ abortSignal: late.signal });
  } catch (error) {
    if (late.signal.aborted) throw new Error(`no response in ${ms} ms`, { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function createClient({ credentials, endpoint, region, usesPathStyle }: StorageSettings): S3Client {
  const known = region ?? (endpoint === null ? null : ANY_REGION);
  return new S3Client({
    maxAttempts: ATTEMPTS,
    forcePathStyle: usesPathStyle,
    ...(known !== null && { region: known }),
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
    requestHandler: {
      connectionTimeout: CONNECTION_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
      httpAgent: { maxSockets: CONNECTIONS_MAX },
      httpsAgent: { maxSockets: CONNECTIONS_MAX },
    },
    // Stores that are not AWS do not know its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

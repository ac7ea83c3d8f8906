import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

/** The server of moto, which implements S3 in memory; null if it is not installed. */
const PROGRAM = process.env.TRUNKLINE_MOTO === undefined ? null : join(process.env.TRUNKLINE_MOTO, 'bin/moto_server');
/** Characters of the server's output in an error: the end of a Python traceback. */
const SHOWN_OUTPUT_LENGTH = 2_000;

export const BUCKET = 'calls';
export const REGION = 'eu-central-1';
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Whether tests on S3 can run. If moto is missing, it logs how to install it; with `TRUNKLINE_REQUIRE_PEERS` it throws. */
export function hasMoto(): boolean {
  if (PROGRAM !== null && existsSync(PROGRAM)) return true;
  const how = 'run .ci/install-moto FOLDER (it needs Python) and set TRUNKLINE_MOTO to the folder';
  if (process.env.TRUNKLINE_REQUIRE_PEERS !== undefined) throw new Error(`moto is not installed: ${how}`);
  console.warn(`skipped: moto is not installed: ${how}`);
  return false;
}

export interface Moto {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts a server that has `BUCKET`. */
export async function startMoto(): Promise<Moto> {
  if (PROGRAM === null) throw new Error('set TRUNKLINE_MOTO');
  const server = spawn(PROGRAM, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(server, 'spawn');
  const exited = once(server, 'exit');
  const close = async () => {
    server.kill();
    await exited;
  };
  try {
    const endpoint = await endpointOf(server.stderr);
    await createBucket(endpoint);
    return { endpoint, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The keys of the objects in `BUCKET`. */
export async function keysIn(endpoint: string): Promise<readonly string[]> {
  const client = clientOf(endpoint);
  try {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    return Contents.flatMap(({ Key }) => Key ?? []);
  } finally {
    client.destroy();
  }
}

/** The address that the server prints when it listens. */
async function endpointOf(stderr: Readable): Promise<string> {
  let output = '';
  for await (const line of createInterface(stderr)) {
    const [, url] = /Running on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) {
      output = `${output}${line}\n`.slice(-SHOWN_OUTPUT_LENGTH);
      continue;
    }
    // The server would block once its pipe is full.
    stderr.resume();
    return url;
  }
  throw new Error(`moto_server exited before it listened:\n${output}`);
}

async function createBucket(endpoint: string): Promise<void> {
  const client = clientOf(endpoint);
  try {
    await client.send(
      new CreateBucketCommand({ Bucket: BUCKET, CreateBucketConfiguration: { LocationConstraint: REGION } }),
    );
  } finally {
    client.destroy();
  }
}

function clientOf(endpoint: string): S3Client {
  return new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials: CREDENTIALS });
}

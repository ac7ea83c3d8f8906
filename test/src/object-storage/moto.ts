import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

/** moto's server, an implementation of S3 in memory; null where it is not installed. */
const PROGRAM = process.env.TRUNKLINE_MOTO === undefined ? null : join(process.env.TRUNKLINE_MOTO, 'bin/moto_server');

export const BUCKET = 'calls';
export const REGION = 'eu-central-1';
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** Whether tests on S3 can run. A note says how to get it where it is missing; in CI that is an error. */
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

/** A server with the bucket. */
export async function startMoto(): Promise<Moto> {
  const server: ChildProcess = spawn(PROGRAM ?? '', ['-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endpoint = await listening(server);
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials: CREDENTIALS });
  await client.send(
    new CreateBucketCommand({ Bucket: BUCKET, CreateBucketConfiguration: { LocationConstraint: REGION } }),
  );
  client.destroy();
  return {
    endpoint,
    close: async () => {
      const exited = once(server, 'exit');
      server.kill();
      await exited;
    },
  };
}

async function listening({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('moto_server has no standard error');
  for await (const line of createInterface(stderr)) {
    const [, url] = /Running on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    stderr.resume();
    return url;
  }
  throw new Error('moto_server ended');
}

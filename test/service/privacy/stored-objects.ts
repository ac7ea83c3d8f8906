import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { BUCKET, CREDENTIALS, type Moto, REGION } from '../../src/object-storage/moto.ts';

/** The settings of a service whose files go to the bucket. */
export function bucketSettings({ endpoint }: Moto): Record<string, string> {
  return {
    STORAGE_URL: `s3://${BUCKET}?endpoint=${endpoint}&region=${REGION}`,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
}

/** The bytes of all objects of the bucket, as Latin-1, by key. */
export async function storedObjects({ endpoint }: Moto): Promise<ReadonlyMap<string, string>> {
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials: CREDENTIALS });
  try {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    const objects = new Map<string, string>();
    for (const { Key = '' } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      objects.set(Key, Buffer.from((await Body?.transformToByteArray()) ?? []).toString('latin1'));
    }
    return objects;
  } finally {
    client.destroy();
  }
}

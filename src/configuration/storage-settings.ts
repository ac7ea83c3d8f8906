import { z } from 'zod';
import { flag, httpUrl, text } from './variable-schemas.ts';

/** Server-side encryption, with the names of S3. */
const ENCRYPTIONS = ['AES256', 'aws:kms', 'aws:kms:dsse'] as const;

/** Parameters of `STORAGE_URL`, with the names of the Go CDK (https://pkg.go.dev/gocloud.dev/blob/s3blob#URLOpener). */
const parameters = z
  .strictObject({
    region: text.optional(),
    endpoint: httpUrl.optional(),
    use_path_style: flag.optional(),
    ssetype: z.enum(ENCRYPTIONS).optional(),
    kmskeyid: text.optional(),
  })
  .refine(({ kmskeyid, ssetype }) => kmskeyid === undefined || ssetype?.startsWith('aws:kms') === true);

/** Bucket names of S3: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters of keys that need no escape in URLs and lists. */
const PREFIX = /^[A-Za-z0-9._/-]{0,200}$/;

/** `s3://bucket/prefix?region=…&endpoint=…`, read into the settings of the store. */
export const storageUrl = z.string().transform((value, context): StorageSettings => {
  const settings = parsed(value);
  if (settings !== null) return settings;
  context.addIssue({ code: 'custom', message: 'no URL of an S3 bucket' });
  return z.NEVER;
});

/** A bucket of an S3-compatible object store. */
export interface StorageSettings {
  readonly bucket: string;
  /** Before each key, without slashes at its ends; empty: none. */
  readonly prefix: string;
  /** URL of an S3-compatible store; null: AWS. */
  readonly endpoint: string | null;
  /** null: the SDK looks in the places of AWS (environment, files). */
  readonly region: string | null;
  /** Whether the bucket is named by the path and not by the host of a request. */
  readonly usesPathStyle: boolean;
  /** null: the SDK looks in the places of AWS (environment, files, the role of the machine). */
  readonly credentials: StorageCredentials | null;
  /** Server-side encryption of new objects; null: what the bucket does by default. */
  readonly encryption: { readonly algorithm: (typeof ENCRYPTIONS)[number]; readonly keyId: string | null } | null;
}

interface StorageCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The variables of object storage. Those of AWS keep their names: its tools and other services of the operator set them. */
export const STORAGE_VARIABLES = {
  STORAGE_URL: [
    storageUrl.optional(),
    's3://bucket/prefix, with ?region=, endpoint=, use_path_style=, ssetype= and kmskeyid= as needed',
  ],
  AWS_ACCESS_KEY_ID: [text.optional(), 'an access key; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set together'],
  AWS_SECRET_ACCESS_KEY: [
    text.optional(),
    'a secret key; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set together',
  ],
  AWS_SESSION_TOKEN: [text.optional(), 'the token of temporary keys'],
} as const;

type Values = { [N in keyof typeof STORAGE_VARIABLES]: z.output<(typeof STORAGE_VARIABLES)[N][0]> };

/** Null without STORAGE_URL: all files stay in DATA_DIR. */
export function storageSettings(values: Values): StorageSettings | null {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, STORAGE_URL: store } = values;
  if (store === undefined) return null;
  if (accessKeyId === undefined || secretAccessKey === undefined) return store;
  const { AWS_SESSION_TOKEN: sessionToken } = values;
  return {
    ...store,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
  };
}

/** Null: no URL of a bucket, or one with a password or an unknown parameter. */
function parsed(value: string): StorageSettings | null {
  if (!URL.canParse(value)) return null;
  const { hash, hostname, password, pathname, port, protocol, searchParams, username } = new URL(value);
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  const names = [...searchParams.keys()];
  const read = parameters.safeParse(Object.fromEntries(searchParams));
  const isPlain = [hash, password, port, username].every((part) => part === '') && new Set(names).size === names.length;
  if (protocol !== 's3:' || !isPlain || !BUCKET.test(hostname) || !PREFIX.test(prefix) || !read.success) return null;
  const { endpoint = null, kmskeyid, region = null, ssetype, use_path_style: usesPathStyle } = read.data;
  return {
    bucket: hostname,
    prefix,
    endpoint,
    region,
    // Few stores other than AWS have a host name for each bucket.
    usesPathStyle: usesPathStyle ?? endpoint !== null,
    credentials: null,
    encryption: ssetype === undefined ? null : { algorithm: ssetype, keyId: kmskeyid ?? null },
  };
}

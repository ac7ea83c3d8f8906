import type { z } from 'zod';

/** Maximum size of a list. Hundreds of models with details take about 700 kB. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The answer to a GET that lists something. A redirect is a failure: the headers carry a key.
 *
 * @throws Error without URL, headers and body
 */
export async function listedJson<Schema extends z.ZodType>(
  url: string,
  headers: Readonly<Record<string, string>>,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > LIST_BYTES_MAX) throw new Error(`answered more than ${LIST_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const parsed = schema.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  if (!parsed.success) throw new Error('answered another document than a list');
  return parsed.data;
}

import { z } from 'zod';

/** Maximum size of a model list. Hundreds of models with details take about 300 kB. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;

const modelsSchema = z.array(z.object({ id: z.string() }));
/** https://platform.openai.com/docs/api-reference/models/list; Together sends a bare array. A paginated list is incomplete and ignored. */
const listSchema = z.union([
  modelsSchema,
  z.object({ data: modelsSchema, has_more: z.literal(false).optional() }).transform(({ data }) => data),
]);

/** The models of a list response. null: not a complete list. */
export async function listedModels(response: Response): Promise<readonly string[] | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > LIST_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  try {
    const list = listSchema.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    return list.success ? list.data.map(({ id }) => id) : null;
  } catch {
    return null;
  }
}

/** Ollama resolves a name without a tag to `latest`; Gemini lists `models/…` and accepts both forms. */
export function isListed(model: string, listed: readonly string[]): boolean {
  const bare = (name: string) => name.replace(/^models\//, '').replace(/:latest$/, '');
  return listed.some((name) => bare(name) === bare(model));
}

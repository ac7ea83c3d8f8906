import { z } from 'zod';

/** Those of a provider that has hundreds, with all that it tells about them, take some 300 kB. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;

const modelsSchema = z.array(z.object({ id: z.string() }));
/** https://platform.openai.com/docs/api-reference/models/list; Together sends the list bare. Of pages one tells nothing. */
const listSchema = z.union([
  modelsSchema,
  z.object({ data: modelsSchema, has_more: z.literal(false).optional() }).transform(({ data }) => data),
]);

/** The models that an answer lists; null: it is no whole list of models. */
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

/** Ollama takes a name without a tag for its latest; Gemini lists `models/…`, and takes both. */
export function isListed(model: string, listed: readonly string[]): boolean {
  const bare = (name: string) => name.replace(/^models\//, '').replace(/:latest$/, '');
  return listed.some((name) => bare(name) === bare(model));
}

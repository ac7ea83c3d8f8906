import { z } from 'zod';

const anyMessageSchema = z.object({ type: z.string() });

/** `ignored`: a message type that we do not use, or that the provider has added since. */
export type Decoded<T> = T | { readonly type: 'ignored' } | { readonly type: 'malformed' };

/** Reads the text messages of one socket of the provider. `schema` describes the messages of `types`. */
export function decodeMessage<T extends { readonly type: string }>(
  text: string,
  schema: z.ZodType<T>,
  types: ReadonlySet<T['type']>,
): Decoded<T> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { type: 'malformed' };
  }
  const any = anyMessageSchema.safeParse(json);
  if (!any.success) return { type: 'malformed' };
  const known: ReadonlySet<string> = types;
  if (!known.has(any.data.type)) return { type: 'ignored' };
  const message = schema.safeParse(json);
  return message.success ? message.data : { type: 'malformed' };
}

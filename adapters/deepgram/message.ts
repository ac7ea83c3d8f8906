import { z } from 'zod';

const anyMessageSchema = z.object({ type: z.string() });

/** `ignored`: a message of a type that is of no use to us, or that the provider added since. */
export type Decoded<T> = T | { readonly type: 'ignored' } | { readonly type: 'malformed' };

/** Reads the text messages of one of the provider's sockets; those of `types` are what `schema` describes. */
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

import { z } from 'zod';
import { type Extensions, parseExtensions } from './extensions.ts';

/** `ALLOWED_PREFIXES`. */
export const prefixes = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((prefix) => prefix.trim())
      .filter((prefix) => prefix !== ''),
  )
  .refine((list) => list.every((prefix) => /^\+[1-9]\d{0,14}$/.test(prefix)));

/** `ALLOWED_EXTENSIONS`. */
export const extensions = z.string().transform((value, context): Extensions => {
  const list = parseExtensions(value);
  if (list !== null) return list;
  context.addIssue({ code: 'custom', message: 'not a list of extensions' });
  return z.NEVER;
});

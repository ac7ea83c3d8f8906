import { z } from 'zod';
import { shownCode } from './provider-failure.ts';

const text = z.string().nullish().catch(null);
const fieldSchema = z.object({ type: z.string(), loc: z.array(z.union([z.string(), z.number()])) });
/** Only the first faulty field is read. */
const detailSchema = z.object({
  detail: z.union([
    z.string(),
    z
      .array(z.unknown())
      .transform((fields) => fields[0])
      .pipe(fieldSchema),
    z.object({ code: text, error: text, status: text, type: text }),
  ]),
});

/** Kinds of pydantic: `missing`, or `value_error.missing` in version 1. */
const KIND = /^[a-z_]{3,40}(\.[a-z_]{1,40}){0,3}$/;
/** Names with dots between them. */
const PLACE = /^[A-Za-z0-9_]{1,40}(\.[A-Za-z0-9_]{1,40}){0,7}$/;

/**
 * The detail of a FastAPI error (https://fastapi.tiangolo.com/tutorial/handling-errors), as most local servers of speech and
 * models answer: the kind and place of a field that they refuse, or a code. Its prose is left out, as with `shownCode`.
 */
export function shownDetail(body: unknown): string {
  const read = detailSchema.safeParse(body);
  if (!read.success) return '';
  const { detail } = read.data;
  if (typeof detail === 'string') return shownCode(detail);
  if (!('loc' in detail))
    return [detail.code, detail.error, detail.type, detail.status].map(shownCode).find(Boolean) ?? '';
  const place = detail.loc.join('.');
  const reported = PLACE.test(place) ? `: ${place}` : '';
  return KIND.test(detail.type) ? ` (${detail.type}${reported})` : '';
}

import { z } from 'zod';
import type { Listed, Page } from '../../storage/database/listing.ts';
import { queryFlag } from './primitives.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;

/**
 * A cursor is a time in microseconds, written as ISO 8601 with six fraction digits. A client that parses it as a date-time may
 * send it with an offset, or without a zone, which is UTC.
 */
const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;
const NO_CURSOR = 'expected an ISO 8601 date-time (encode + as %2B)';
const cursorSchema = z
  .string()
  .regex(CURSOR, { error: NO_CURSOR, abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), NO_CURSOR);

export const USE_CURSOR =
  'true: paginate by cursor, which neither skips nor repeats items while new ones arrive. false: paginate by page, with totals.';

/** Query of a list that defaults to pages. */
export const pageQuery = z.strictObject({
  page: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(1)
    .describe('Page number, from 1. Ignored with `use_cursor=true`.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .default(LIMIT_DEFAULT)
    .describe('Maximum number of items in the response, 1 to 1,000. Default 50.'),
  use_cursor: queryFlag(false, USE_CURSOR),
  cursor: cursorSchema.optional().describe('`next_cursor` of the previous response. Ignored with `use_cursor=false`.'),
});

/** `message` of a list with one item. */
export const LIST_MESSAGE = '1 found';

export const listFields = {
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .describe('Cursor of the next request, with `use_cursor=true` only. null: this is the last page.'),
  current_page: z.int().min(1).optional().describe('Number of this page, from 1, with `use_cursor=false` only.'),
  total_pages: z.int().min(0).optional().describe('Number of pages, with `use_cursor=false` only.'),
  total_items: z.int().min(0).optional().describe('Number of items in all pages, with `use_cursor=false` only.'),
};

export function pageOf(query: z.output<typeof pageQuery>): Page {
  const { page, limit, use_cursor, cursor } = query;
  if (!use_cursor) return { mode: 'page', page, limit };
  return { mode: 'cursor', beforeUs: cursor === undefined ? null : cursorUs(cursor), limit };
}

export function listResponse<T, A>(found: Listed<T>, page: Page, answer: (item: T) => A) {
  const data = found.items.map(answer);
  const body = { message: `${data.length} found`, data, error: null, status: 200 };
  if (page.mode === 'cursor') return { ...body, next_cursor: found.nextUs === null ? null : cursorText(found.nextUs) };
  const total = found.total ?? 0;
  return {
    ...body,
    current_page: page.page,
    total_pages: Math.ceil(total / page.limit),
    total_items: total,
  };
}

export function cursorText(placeUs: number): string {
  const ms = Math.floor(placeUs / 1_000);
  const micros = String(placeUs - ms * 1_000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${micros}Z`);
}

/** The inverse of `cursorText`. Missing fraction digits are zeros. */
export function cursorUs(text: string): number {
  const [, seconds = '', fraction = '', zone = 'Z'] = CURSOR.exec(text) ?? [];
  return Date.parse(`${seconds}${zone}`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

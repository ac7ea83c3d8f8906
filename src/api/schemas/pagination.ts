import { z } from 'zod';
import type { Listed, Page } from '../../storage/database/listing.ts';
import { queryFlag } from './primitives.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;

/**
 * Microseconds since 1970 as ISO 8601 with six digits, as cursors are written; a client that reads them as date-times may
 * write them with an offset.
 */
const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;
const NO_CURSOR = 'expected an ISO 8601 date-time with Z or an offset, whose + is written %2B';
const cursorSchema = z
  .string()
  .regex(CURSOR, { error: NO_CURSOR, abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), NO_CURSOR);

export const USE_CURSOR =
  'true: by cursor, which neither skips nor repeats while others are added. false: in pages, with totals.';

/** Query of a list whose default is pages; `use_cursor` changes the mode. */
export const pageQuery = z.strictObject({
  page: z.coerce.number().int().min(1).max(1_000_000_000).default(1).describe('From 1; where use_cursor is false.'),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT).describe('Items in an answer.'),
  use_cursor: queryFlag(false, USE_CURSOR),
  cursor: cursorSchema.optional().describe('`next_cursor` of the page before; where use_cursor is true.'),
});

export const listFields = {
  next_cursor: z.string().nullable().optional().describe('In cursor mode; null at the end.'),
  current_page: z.int().min(1).optional().describe('From 1; where use_cursor is false.'),
  total_pages: z.int().min(0).optional().describe('Where use_cursor is false.'),
  total_items: z.int().min(0).optional().describe('In all pages; where use_cursor is false.'),
};

export function pageOf(query: z.output<typeof pageQuery>): Page {
  const { page, limit, use_cursor, cursor } = query;
  if (!use_cursor) return { mode: 'page', page, limit };
  return { mode: 'cursor', beforeUs: cursor === undefined ? null : cursorUs(cursor), limit };
}

export function listAnswer<T, A>(found: Listed<T>, page: Page, answer: (item: T) => A) {
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

/** The pair of `cursorText`. Fewer digits stand for zeros. */
export function cursorUs(text: string): number {
  const [, seconds = '', fraction = '', zone = ''] = CURSOR.exec(text) ?? [];
  return Date.parse(`${seconds}${zone}`) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

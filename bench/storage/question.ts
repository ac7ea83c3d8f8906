import { sql } from 'kysely';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';
import type { Database } from '../../src/storage/database/database.ts';
import type { Repositories } from '../../src/storage/repositories.ts';

/** A query of the API. */
export interface Question {
  readonly name: string;
  readonly ask: (repositories: Repositories) => Promise<unknown>;
}

/** The calls that are stored. Times in ms since 1970. */
export interface StoredYear {
  readonly calls: number;
  readonly middleMs: number;
  readonly newestMs: number;
  /** End of the rollups: the end of the newest call's day. */
  readonly toMs: number;
  /** The newest ended call whose transcript is stored. */
  readonly callId: string;
}

export const ORGANIZATION = DEFAULT_ORGANIZATION_ID;
export const PAGE_SIZE = 50;
const DAY_MS = 24 * 3_600_000;

export async function findYear({ query }: Database): Promise<StoredYear> {
  const { rows } = await sql<{ calls: number; oldest: number; newest: number }>`
    SELECT count(*) AS calls, min(created_ms) AS oldest, max(created_ms) AS newest FROM calls`.execute(query);
  const [found] = rows;
  if (found === undefined) throw new Error('no calls are stored');
  const newestMs = Number(found.newest);
  const of = await query.selectFrom('transcript_entries').select('call_id').limit(1).executeTakeFirst();
  return {
    calls: Number(found.calls),
    middleMs: Math.round((Number(found.oldest) + newestMs) / 2),
    newestMs,
    toMs: Math.ceil(newestMs / DAY_MS) * DAY_MS,
    callId: of?.call_id ?? '',
  };
}

import { createHash } from 'node:crypto';
import type { Database, Step } from '../database/database.ts';
import type { JsonObject } from '../schema/json-object.ts';
import type { MetadataValue } from './call-filter.ts';

/** Entries of one call that filters find: the first ones, in the order of the object. One statement stores them. */
export const FOUND_ENTRIES_MAX = 100;
/** 128 bits: no two entries have the same hash in practice. */
const HASH_LENGTH = 22;

/** The hash of a name and its value. It has one length, for a text of 64 KiB and for a number. */
export function entryHash(name: string, value: MetadataValue): string {
  return createHash('sha256')
    .update(JSON.stringify([name, value]))
    .digest('base64url')
    .slice(0, HASH_LENGTH);
}

/** The hashes of the entries that filters find: those whose value is a string, a number or a boolean. */
export function entryHashes(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata)
    .flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [entryHash(name, value)]
        : [],
    )
    .slice(0, FOUND_ENTRIES_MAX);
}

interface ListedCall {
  readonly organizationId: string;
  readonly listedUs: number;
}

/** The steps that bring the stored entries of a call from one metadata to another. */
export function metadataSteps(
  { query }: Pick<Database, 'query'>,
  { listedUs, organizationId }: ListedCall,
  before: JsonObject,
  after: JsonObject,
): readonly Step[] {
  const kept = new Set(entryHashes(after));
  const dropped = entryHashes(before).filter((hash) => !kept.has(hash));
  const steps: Step[] = [];
  if (dropped.length > 0) {
    const statement = query
      .deleteFrom('call_metadata')
      .where('organization_id', '=', organizationId)
      .where('entry_hash', 'in', dropped)
      .where('listed_us', '=', listedUs);
    steps.push({ statement });
  }
  if (kept.size > 0) {
    const rows = [...kept].map((hash) => ({
      organization_id: organizationId,
      entry_hash: hash,
      listed_us: listedUs,
    }));
    const statement = query
      .insertInto('call_metadata')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing());
    steps.push({ statement });
  }
  return steps;
}

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Database } from './database.ts';
import type { ApiKeyTable } from './tables.ts';

export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The organization of a service that has one; fixed, so that a key given by the environment always finds it. */
export const DEFAULT_ORGANIZATION_ID = '00000000-0000-4000-8000-000000000001';

/** Keys of the environment are told from others by this name; the command line gives it to none. */
const ENVIRONMENT_KEY_NAME = 'TRUNKLINE_API_KEY';

export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export interface NewApiKey {
  readonly organizationId: string;
  readonly name: string;
  /** The key itself; only its hash is stored. */
  readonly key: string;
  readonly scopes: readonly Scope[];
  readonly nowMs: number;
}

/** Organizations and their API keys. All methods reject with a `DatabaseError`. */
export interface OrganizationRepository {
  /** Makes the default organization where it is missing. */
  ensureDefault(nowMs: number): Promise<void>;
  /** Adds a key; one that exists already (also in another organization, or revoked) stays as it is. */
  addKey(key: NewApiKey): Promise<void>;
  /**
   * Makes this the one key that the environment gives: one that it gave before and gives no more is revoked. Null: it gives
   * none.
   */
  setEnvironmentKey(key: string | null, nowMs: number): Promise<void>;
  /** Whether there is a key that is not revoked. */
  hasKeys(): Promise<boolean>;
  /** Null for a key that is unknown or revoked. */
  findKey(key: string): Promise<ApiKeyRecord | null>;
  revokeKey(id: string, nowMs: number): Promise<void>;
}

export function createOrganizationRepository(database: Database): OrganizationRepository {
  const { query } = database;
  return {
    ensureDefault: async (nowMs) => {
      await query
        .insertInto('organizations')
        .values({ id: DEFAULT_ORGANIZATION_ID, name: 'default', created_ms: nowMs, last_listed_us: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    addKey: async (key) => {
      const row: ApiKeyTable = {
        id: randomUUID(),
        organization_id: key.organizationId,
        name: key.name,
        hash: hashOf(key.key).toString('hex'),
        scopes_json: JSON.stringify(key.scopes),
        created_ms: key.nowMs,
        revoked_ms: null,
      };
      await query
        .insertInto('api_keys')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    setEnvironmentKey: async (key, nowMs) => {
      const hash = key === null ? '' : hashOf(key).toString('hex');
      const row: ApiKeyTable = {
        id: randomUUID(),
        organization_id: DEFAULT_ORGANIZATION_ID,
        name: ENVIRONMENT_KEY_NAME,
        hash,
        scopes_json: JSON.stringify(SCOPES),
        created_ms: nowMs,
        revoked_ms: null,
      };
      const given = query
        .insertInto('api_keys')
        .values(row)
        .onConflict((conflict) => conflict.column('hash').doUpdateSet({ revoked_ms: null }));
      const before = query
        .updateTable('api_keys')
        .set({ revoked_ms: nowMs })
        .where('name', '=', ENVIRONMENT_KEY_NAME)
        .where('hash', '<>', hash)
        .where('revoked_ms', 'is', null);
      await database.atomically([{ statement: before }, ...(key === null ? [] : [{ statement: given }])]);
    },
    hasKeys: async () => {
      const key = await query
        .selectFrom('api_keys')
        .select('id')
        .where('revoked_ms', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return key !== undefined;
    },
    findKey: async (key) => {
      const hash = hashOf(key);
      const row = await query
        .selectFrom('api_keys')
        .selectAll()
        .where('hash', '=', hash.toString('hex'))
        .where('revoked_ms', 'is', null)
        .executeTakeFirst();
      if (row === undefined || !timingSafeEqual(hash, Buffer.from(row.hash, 'hex'))) return null;
      const { id, organization_id: organizationId, name, scopes_json } = row;
      return { id, organizationId, name, scopes: JSON.parse(scopes_json) };
    },
    revokeKey: async (id, nowMs) => {
      await query.updateTable('api_keys').set({ revoked_ms: nowMs }).where('id', '=', id).execute();
    },
  };
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

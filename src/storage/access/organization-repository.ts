import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { prepared } from '../database/prepared-statement.ts';
import type { ApiKeyTable } from '../schema/tables.ts';

export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The organization of a service with only one. Fixed, so that the key of `TRUNKLINE_API_KEY` always belongs to it. */
export const DEFAULT_ORGANIZATION_ID = '00000000-0000-4000-8000-000000000001';

/** Marks the key of the environment. The command line gives this name to no key. */
export const ENVIRONMENT_KEY_NAME = 'TRUNKLINE_API_KEY';

export interface ApiKeyRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
}

/** A key as `trunkline keys list` shows it. The key itself is not stored. */
export interface ApiKeyListing extends ApiKeyRecord {
  /** First characters of the key; empty for a key that the service did not make. */
  readonly prefix: string;
  readonly createdMs: number;
  readonly revokedMs: number | null;
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
  /** Creates the default organization if it is missing. */
  ensureDefault(nowMs: number): Promise<void>;
  /** Adds a key. A key that exists, revoked or in another organization too, stays unchanged. */
  addKey(key: NewApiKey): Promise<void>;
  /** Makes this the only key of the environment and revokes an earlier one. Null: the environment has no key. */
  setEnvironmentKey(key: string | null, nowMs: number): Promise<void>;
  /** Whether a key exists that is not revoked. */
  hasKeys(): Promise<boolean>;
  /** Null for a key that is unknown or revoked. */
  findKey(key: string): Promise<ApiKeyRecord | null>;
  /** Whether the key exists and is not revoked. */
  isActive(keyId: string): Promise<boolean>;
  /** All keys of all organizations, oldest first, revoked ones too. */
  listKeys(): Promise<readonly ApiKeyListing[]>;
  /** The keys of one organization, newest first, revoked ones too. */
  listKeysOf(organizationId: string, limit: number): Promise<readonly ApiKeyListing[]>;
  /** Null if the organization has no such key. Revoked keys are found too. */
  findListing(organizationId: string, id: string): Promise<ApiKeyListing | null>;
  /** The number of keys of an organization that are not revoked. */
  countActiveKeys(organizationId: string): Promise<number>;
  /** Acts from the next request on. False: unknown, or revoked already. */
  revokeKey(id: string, nowMs: number): Promise<boolean>;
  addOrganization(name: string, nowMs: number): Promise<OrganizationRecord>;
  /** Organizations with this id or name; names need not be unique. */
  findOrganizations(idOrName: string): Promise<readonly OrganizationRecord[]>;
}

/** Characters of a generated key that are stored: `tl_` and 42 of its 256 bits, too few to guess the rest. */
const PREFIX_LENGTH = 10;

export function createOrganizationRepository(database: Database): OrganizationRepository {
  return { ...organizations(database), ...keyChanges(database), ...keyLookups(database), ...keyListings(database) };
}

function organizations(
  database: Database,
): Pick<OrganizationRepository, 'ensureDefault' | 'addOrganization' | 'findOrganizations'> {
  const { query } = database;
  return {
    ensureDefault: async (nowMs) => {
      await query
        .insertInto('organizations')
        .values({ id: DEFAULT_ORGANIZATION_ID, name: 'default', created_ms: nowMs, last_listed_us: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    addOrganization: async (name, nowMs) => {
      const id = randomUUID();
      await query.insertInto('organizations').values({ id, name, created_ms: nowMs, last_listed_us: 0 }).execute();
      return { id, name };
    },
    findOrganizations: (idOrName) =>
      query
        .selectFrom('organizations')
        .select(['id', 'name'])
        .where((eb) => eb.or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
        .orderBy('id')
        .execute(),
  };
}

function keyChanges(database: Database): Pick<OrganizationRepository, 'addKey' | 'setEnvironmentKey' | 'revokeKey'> {
  const { query } = database;
  return {
    addKey: async (key) => {
      const row: ApiKeyTable = {
        id: randomUUID(),
        organization_id: key.organizationId,
        name: key.name,
        hash: hashOf(key.key).toString('hex'),
        prefix: key.key.startsWith('tl_') ? key.key.slice(0, PREFIX_LENGTH) : '',
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
        prefix: '',
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
    revokeKey: async (id, nowMs) => {
      const { numUpdatedRows } = await query
        .updateTable('api_keys')
        .set({ revoked_ms: nowMs })
        .where('id', '=', id)
        .where('revoked_ms', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

const FIND_KEY = prepared<{ hash: string }>()((query, slot) =>
  query.selectFrom('api_keys').selectAll().where('hash', '=', slot('hash')).where('revoked_ms', 'is', null),
);

function keyListings(
  database: Database,
): Pick<OrganizationRepository, 'listKeys' | 'listKeysOf' | 'findListing' | 'countActiveKeys'> {
  const { query } = database;
  return {
    listKeys: async () => {
      const rows = await query.selectFrom('api_keys').selectAll().orderBy('created_ms').orderBy('id').execute();
      return rows.map(listingOf);
    },
    listKeysOf: async (organizationId, limit) => {
      const own = query.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId);
      const rows = await own.orderBy('created_ms', 'desc').orderBy('id').limit(limit).execute();
      return rows.map(listingOf);
    },
    findListing: async (organizationId, id) => {
      const own = query.selectFrom('api_keys').selectAll().where('organization_id', '=', organizationId);
      const row = await own.where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : listingOf(row);
    },
    countActiveKeys: async (organizationId) => {
      const active = query.selectFrom('api_keys').where('revoked_ms', 'is', null);
      const { total } = await active
        .where('organization_id', '=', organizationId)
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return Number(total);
    },
  };
}

function listingOf(row: ApiKeyTable): ApiKeyListing {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    scopes: JSON.parse(row.scopes_json),
    prefix: row.prefix,
    createdMs: row.created_ms,
    revokedMs: row.revoked_ms,
  };
}

function keyLookups(database: Database): Pick<OrganizationRepository, 'hasKeys' | 'findKey' | 'isActive'> {
  const { query } = database;
  return {
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
      const [row] = await database.rows(FIND_KEY.with({ hash: hash.toString('hex') }));
      if (row === undefined || !timingSafeEqual(hash, Buffer.from(row.hash, 'hex'))) return null;
      const { id, organization_id: organizationId, name, scopes_json } = row;
      return { id, organizationId, name, scopes: JSON.parse(scopes_json) };
    },
    isActive: async (keyId) => {
      const row = await query
        .selectFrom('api_keys')
        .select('id')
        .where('id', '=', keyId)
        .where('revoked_ms', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

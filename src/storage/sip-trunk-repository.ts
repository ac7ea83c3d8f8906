import type { Database } from './database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from './listing.ts';
import type { SipTrunkTable } from './tables.ts';

export interface SipTrunkRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** `host[:port]`. */
  readonly terminationUri: string;
  readonly transport: 'udp' | 'tcp';
  readonly username: string | null;
  /** Sealed by `Secrets`. */
  readonly passwordSealed: string | null;
  /** CIDR: where its calls come from. */
  readonly allowedAddresses: readonly string[];
  readonly createdMs: number;
}

/** All methods reject with a `DatabaseError`. */
export interface SipTrunkRepository {
  create(trunk: SipTrunkRecord): Promise<void>;
  find(organizationId: string, id: string): Promise<SipTrunkRecord | null>;
  list(organizationId: string, page: Page): Promise<Listed<SipTrunkRecord>>;
  /** Every trunk of the organization, newest first; it has few. */
  all(organizationId: string): Promise<SipTrunkRecord[]>;
  /** False where there is no such trunk. Numbers that used it have none afterwards. */
  remove(organizationId: string, id: string): Promise<boolean>;
}

export function createSipTrunkRepository(database: Database): SipTrunkRepository {
  const { query } = database;
  return {
    create: async (trunk) => {
      const statement = query.insertInto('sip_trunks').values({
        id: trunk.id,
        organization_id: trunk.organizationId,
        name: trunk.name,
        termination_uri: trunk.terminationUri,
        transport: trunk.transport,
        username: trunk.username,
        password_sealed: trunk.passwordSealed,
        allowed_addresses_json: JSON.stringify(trunk.allowedAddresses),
        listed_us: lastListedUs(query, trunk.organizationId),
        created_ms: trunk.createdMs,
      });
      await insertListed(database, trunk.organizationId, trunk.createdMs, [{ statement }]);
    },
    find: async (organizationId, id) => {
      const row = await query
        .selectFrom('sip_trunks')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : readTrunk(row);
    },
    list: (organizationId, page) => {
      const all = query.selectFrom('sip_trunks').where('organization_id', '=', organizationId);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readTrunk);
    },
    all: async (organizationId) => {
      const rows = await query
        .selectFrom('sip_trunks')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('listed_us', 'desc')
        .execute();
      return rows.map(readTrunk);
    },
    remove: async (organizationId, id) => {
      const result = await query
        .deleteFrom('sip_trunks')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function readTrunk(row: SipTrunkTable): SipTrunkRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    terminationUri: row.termination_uri,
    transport: row.transport === 'tcp' ? 'tcp' : 'udp',
    username: row.username,
    passwordSealed: row.password_sealed,
    allowedAddresses: JSON.parse(row.allowed_addresses_json),
    createdMs: row.created_ms,
  };
}

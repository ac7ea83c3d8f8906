import type { AudioCodec } from '../../sip/rtp/audio-codec.ts';
import type { Database } from './database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from './listing.ts';
import type { SipTrunkTable } from './tables.ts';

export interface SipTrunkRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** `host[:port]`. */
  readonly terminationUri: string;
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly username: string | null;
  /** Sealed by `Secrets`. */
  readonly passwordSealed: string | null;
  /** CIDR: where its calls come from. */
  readonly allowedAddresses: readonly string[];
  /** Whether we announce ourselves to it, so that it knows where its calls go. */
  readonly register: boolean;
  /** In order of preference; none: the service's own. */
  readonly codecs: readonly AudioCodec[];
  readonly srtp: 'off' | 'optional' | 'required';
  /** null: as many as the node takes. */
  readonly maxConcurrentCalls: number | null;
  /** Calls that we begin; null: no bound of the trunk's. */
  readonly maxCallsPerSecond: number | null;
  /** Its place among those that take the calls of a trunk that fails, the lowest first; null: it takes none. */
  readonly priority: number | null;
  readonly createdMs: number;
}

const TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
const SRTP = ['off', 'optional', 'required'] as const;

/** All methods reject with a `DatabaseError`. */
export interface SipTrunkRepository {
  create(trunk: SipTrunkRecord): Promise<void>;
  find(organizationId: string, id: string): Promise<SipTrunkRecord | null>;
  list(organizationId: string, page: Page): Promise<Listed<SipTrunkRecord>>;
  /** Every trunk of the organization, newest first; it has few. */
  all(organizationId: string): Promise<SipTrunkRecord[]>;
  /** False where there is no such trunk. Numbers that used it have none afterwards. */
  remove(organizationId: string, id: string): Promise<boolean>;
  /** Every trunk of every organization that wants to be registered. */
  registering(): Promise<SipTrunkRecord[]>;
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
        register: trunk.register ? 1 : 0,
        codecs_json: JSON.stringify(trunk.codecs),
        srtp: trunk.srtp,
        max_concurrent_calls: trunk.maxConcurrentCalls,
        max_calls_per_second: trunk.maxCallsPerSecond,
        priority: trunk.priority,
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
    registering: async () => {
      const rows = await query.selectFrom('sip_trunks').selectAll().where('register', '=', 1).execute();
      return rows.map(readTrunk);
    },
  };
}

function readTrunk(row: SipTrunkTable): SipTrunkRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    terminationUri: row.termination_uri,
    transport: TRANSPORTS.find((known) => known === row.transport) ?? 'udp',
    username: row.username,
    passwordSealed: row.password_sealed,
    allowedAddresses: JSON.parse(row.allowed_addresses_json),
    register: row.register === 1,
    codecs: JSON.parse(row.codecs_json),
    srtp: SRTP.find((known) => known === row.srtp) ?? 'off',
    maxConcurrentCalls: row.max_concurrent_calls,
    maxCallsPerSecond: row.max_calls_per_second,
    priority: row.priority,
    createdMs: row.created_ms,
  };
}

import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max';
import type { AudioCodec } from '../../../sip/rtp/codecs/audio-codec.ts';
import type { Database } from '../database/database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from '../database/listing.ts';
import type { SipTrunkTable } from '../schema/tables.ts';

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
  /** CIDR ranges that inbound calls may come from. */
  readonly allowedAddresses: readonly string[];
  /** Whether the service registers with the trunk (REGISTER). */
  readonly register: boolean;
  /** In order of preference; empty: the service's default. */
  readonly codecs: readonly AudioCodec[];
  readonly srtp: 'off' | 'optional' | 'required';
  /** Detects DTMF digits in the audio. */
  readonly inbandDtmf: boolean;
  /** Null: no limit of the trunk. */
  readonly maxConcurrentCalls: number | null;
  /** Outbound calls; null: no limit of the trunk. */
  readonly maxCallsPerSecond: number | null;
  /** Order as a fallback for a failed trunk, lowest first; null: never a fallback. */
  readonly priority: number | null;
  /** Interval of OPTIONS pings; null: none. */
  readonly optionsIntervalSeconds: number | null;
  /** Numbers without `+` are dialled as in this country; null: unknown. */
  readonly country: CountryCode | null;
  /** User part of From; null: the calling number. */
  readonly fromUser: string | null;
  /** Host of From; null: our address. */
  readonly fromDomain: string | null;
  readonly createdMs: number;
}

const TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
const SRTP = ['off', 'optional', 'required'] as const;

/** All methods reject with a `DatabaseError`. */
export interface SipTrunkRepository {
  create(trunk: SipTrunkRecord): Promise<void>;
  find(organizationId: string, id: string): Promise<SipTrunkRecord | null>;
  /** A trunk of any organization: for the recovery of a dialog, whose data the organization does not choose. */
  findAny(id: string): Promise<SipTrunkRecord | null>;
  list(organizationId: string, page: Page): Promise<Listed<SipTrunkRecord>>;
  /** All trunks of the organization, newest first: there are few. */
  all(organizationId: string): Promise<SipTrunkRecord[]>;
  /**
   * Writes all fields except id, organization and list order. False if the trunk is no longer the same as `before`, or is
   * gone.
   */
  replace(before: SipTrunkRecord, trunk: SipTrunkRecord): Promise<boolean>;
  /** Numbers of the trunk have no trunk afterwards. False: no such trunk. */
  remove(organizationId: string, id: string): Promise<boolean>;
  /** Trunks of all organizations with `register`. */
  registering(): Promise<SipTrunkRecord[]>;
  /** Trunks of all organizations with a ping interval. */
  pinged(): Promise<SipTrunkRecord[]>;
  /** Trunks by organization. An organization with agents and no trunk is an empty list. */
  byOrganization(): Promise<(readonly SipTrunkRecord[])[]>;
}

export function createSipTrunkRepository(database: Database): SipTrunkRepository {
  return { ...trunkLookups(database), ...trunkChanges(database), ...allTrunks(database) };
}

function trunkLookups(database: Database): Pick<SipTrunkRepository, 'find' | 'findAny' | 'list' | 'all'> {
  const { query } = database;
  return {
    find: async (organizationId, id) => {
      const row = await query
        .selectFrom('sip_trunks')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : readTrunk(row);
    },
    findAny: async (id) => {
      const row = await query.selectFrom('sip_trunks').selectAll().where('id', '=', id).executeTakeFirst();
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
  };
}

function trunkChanges(database: Database): Pick<SipTrunkRepository, 'create' | 'replace' | 'remove'> {
  const { query } = database;
  return {
    create: async (trunk) => {
      const statement = query.insertInto('sip_trunks').values({
        ...settings(trunk),
        id: trunk.id,
        organization_id: trunk.organizationId,
        listed_us: lastListedUs(query, trunk.organizationId),
        created_ms: trunk.createdMs,
      });
      await insertListed(database, trunk.organizationId, trunk.createdMs, [{ statement }]);
    },
    replace: async (before, trunk) => {
      const result = await query
        .updateTable('sip_trunks')
        .set(settings(trunk))
        .where('id', '=', before.id)
        .where('organization_id', '=', before.organizationId)
        .where((eb) => eb.and(settings(before)))
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
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

function allTrunks(database: Database): Pick<SipTrunkRepository, 'registering' | 'pinged' | 'byOrganization'> {
  const { query } = database;
  return {
    registering: async () => {
      const rows = await query.selectFrom('sip_trunks').selectAll().where('register', '=', 1).execute();
      return rows.map(readTrunk);
    },
    pinged: async () => {
      const all = query.selectFrom('sip_trunks').selectAll();
      return (await all.where('options_interval_seconds', 'is not', null).execute()).map(readTrunk);
    },
    byOrganization: async () => {
      const [rows, owners] = await Promise.all([
        query.selectFrom('sip_trunks').selectAll().execute(),
        query.selectFrom('agents').select('organization_id').distinct().execute(),
      ]);
      const trunks = new Map<string, SipTrunkRecord[]>(owners.map((owner) => [owner.organization_id, []]));
      for (const trunk of rows.map(readTrunk)) {
        trunks.set(trunk.organizationId, [...(trunks.get(trunk.organizationId) ?? []), trunk]);
      }
      return [...trunks.values()];
    },
  };
}

function settings(trunk: SipTrunkRecord) {
  return {
    name: trunk.name,
    termination_uri: trunk.terminationUri,
    transport: trunk.transport,
    username: trunk.username,
    password_sealed: trunk.passwordSealed,
    allowed_addresses_json: JSON.stringify(trunk.allowedAddresses),
    register: trunk.register ? 1 : 0,
    codecs_json: JSON.stringify(trunk.codecs),
    srtp: trunk.srtp,
    inband_dtmf: trunk.inbandDtmf ? 1 : 0,
    max_concurrent_calls: trunk.maxConcurrentCalls,
    max_calls_per_second: trunk.maxCallsPerSecond,
    priority: trunk.priority,
    options_interval_seconds: trunk.optionsIntervalSeconds,
    country: trunk.country,
    from_user: trunk.fromUser,
    from_domain: trunk.fromDomain,
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
    inbandDtmf: row.inband_dtmf === 1,
    maxConcurrentCalls: row.max_concurrent_calls,
    maxCallsPerSecond: row.max_calls_per_second,
    priority: row.priority,
    optionsIntervalSeconds: row.options_interval_seconds,
    country: row.country !== null && isSupportedCountry(row.country) ? row.country : null,
    fromUser: row.from_user,
    fromDomain: row.from_domain,
    createdMs: row.created_ms,
  };
}

import type { Database } from '../database/database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from '../database/listing.ts';
import type { PhoneNumberTable } from '../schema/tables.ts';

export const REDIRECT_MODES = ['sip_302', 'bridge'] as const;

export type RedirectMode = (typeof REDIRECT_MODES)[number];

/** An INVITE header, by its name in any case, whose value becomes a variable. */
export interface SipHeaderVariable {
  readonly header: string;
  readonly variable: string;
}

export interface PhoneNumberRecord {
  readonly id: string;
  readonly organizationId: string;
  /** E.164. */
  readonly number: string;
  readonly name: string;
  readonly type: 'pstn' | 'sip';
  readonly inboundAgentId: string | null;
  readonly redirect: boolean;
  readonly redirectPhoneNumber: string | null;
  /** `sip_302`: the caller gets 302 with the destination. `bridge`: the service calls the destination and bridges both. */
  readonly redirectMode: RedirectMode;
  readonly sipUri: string | null;
  readonly trunkId: string | null;
  /** Asked before the answer; null: none. */
  readonly lookupWebhookUrl: string | null;
  readonly sipHeaderVariables: readonly SipHeaderVariable[];
  readonly createdMs: number;
}

export type PhoneNumberPatch = Partial<
  Pick<
    PhoneNumberRecord,
    | 'name'
    | 'inboundAgentId'
    | 'redirect'
    | 'redirectPhoneNumber'
    | 'redirectMode'
    | 'sipUri'
    | 'trunkId'
    | 'lookupWebhookUrl'
    | 'sipHeaderVariables'
  >
>;

/** All methods reject with a `DatabaseError`. */
export interface PhoneNumberRepository {
  /** Rejects with `constraint` if the number exists in any organization. */
  create(number: PhoneNumberRecord): Promise<void>;
  find(organizationId: string, id: string): Promise<PhoneNumberRecord | null>;
  /** By E.164 number, in the whole service. */
  findByNumber(number: string): Promise<PhoneNumberRecord | null>;
  list(organizationId: string, page: Page): Promise<Listed<PhoneNumberRecord>>;
  /** False: no such number. */
  update(organizationId: string, id: string, patch: PhoneNumberPatch): Promise<boolean>;
  /** False: no such number. */
  remove(organizationId: string, id: string): Promise<boolean>;
}

export function createPhoneNumberRepository(database: Database): PhoneNumberRepository {
  const { query } = database;
  return {
    create: async (number) => {
      const statement = query.insertInto('phone_numbers').values({
        id: number.id,
        organization_id: number.organizationId,
        number: number.number,
        type: number.type,
        listed_us: lastListedUs(query, number.organizationId),
        created_ms: number.createdMs,
        name: number.name,
        inbound_agent_id: number.inboundAgentId,
        redirect: number.redirect ? 1 : 0,
        redirect_phone_number: number.redirectPhoneNumber,
        redirect_mode: number.redirectMode,
        sip_uri: number.sipUri,
        trunk_id: number.trunkId,
        lookup_webhook_url: number.lookupWebhookUrl,
        sip_header_variables_json: JSON.stringify(number.sipHeaderVariables),
      });
      await insertListed(database, number.organizationId, number.createdMs, [{ statement }]);
    },
    find: async (organizationId, id) => {
      const row = await query
        .selectFrom('phone_numbers')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : readNumber(row);
    },
    findByNumber: async (number) => {
      const row = await query.selectFrom('phone_numbers').selectAll().where('number', '=', number).executeTakeFirst();
      return row === undefined ? null : readNumber(row);
    },
    list: (organizationId, page) => {
      const all = query.selectFrom('phone_numbers').where('organization_id', '=', organizationId);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readNumber);
    },
    update: async (organizationId, id, patch) => {
      const result = await query
        .updateTable('phone_numbers')
        .set({ id, ...columns(patch) })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    remove: async (organizationId, id) => {
      const result = await query
        .deleteFrom('phone_numbers')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function columns(patch: PhoneNumberPatch): Partial<PhoneNumberTable> {
  return {
    ...(patch.name !== undefined && { name: patch.name }),
    ...(patch.inboundAgentId !== undefined && { inbound_agent_id: patch.inboundAgentId }),
    ...(patch.redirect !== undefined && { redirect: patch.redirect ? 1 : 0 }),
    ...(patch.redirectPhoneNumber !== undefined && { redirect_phone_number: patch.redirectPhoneNumber }),
    ...(patch.redirectMode !== undefined && { redirect_mode: patch.redirectMode }),
    ...(patch.sipUri !== undefined && { sip_uri: patch.sipUri }),
    ...(patch.trunkId !== undefined && { trunk_id: patch.trunkId }),
    ...(patch.lookupWebhookUrl !== undefined && { lookup_webhook_url: patch.lookupWebhookUrl }),
    ...(patch.sipHeaderVariables !== undefined && {
      sip_header_variables_json: JSON.stringify(patch.sipHeaderVariables),
    }),
  };
}

function readNumber(row: PhoneNumberTable): PhoneNumberRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    number: row.number,
    name: row.name,
    type: row.type === 'sip' ? 'sip' : 'pstn',
    inboundAgentId: row.inbound_agent_id,
    redirect: row.redirect === 1,
    redirectPhoneNumber: row.redirect_phone_number,
    redirectMode: row.redirect_mode === 'bridge' ? 'bridge' : 'sip_302',
    sipUri: row.sip_uri,
    trunkId: row.trunk_id,
    lookupWebhookUrl: row.lookup_webhook_url,
    sipHeaderVariables: JSON.parse(row.sip_header_variables_json),
    createdMs: row.created_ms,
  };
}

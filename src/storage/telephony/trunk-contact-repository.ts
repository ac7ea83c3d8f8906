import type { Database } from '../database/database.ts';

/** A contact that was registered with a trunk and not removed. */
export interface TrunkContact {
  /** The URI as the registrar has it. */
  readonly contact: string;
  /** Registrar and username of the registration. */
  readonly accountJson: string;
  /** Wall clock. */
  readonly expiresMs: number;
}

/**
 * Contacts that registrars have of us. A process that dies leaves its own: the next one that registers the trunk removes it. All methods
 * reject with a `DatabaseError`.
 */
export interface TrunkContactRepository {
  of(trunkId: string): Promise<readonly TrunkContact[]>;
  /** Stores the contact, or its new expiry. Does nothing if the trunk was deleted. */
  put(trunkId: string, contact: TrunkContact): Promise<void>;
  remove(trunkId: string, contact: string): Promise<void>;
}

export function createTrunkContactRepository({ query }: Database): TrunkContactRepository {
  return {
    of: async (trunkId) => {
      const rows = await query
        .selectFrom('trunk_contacts')
        .select(['contact', 'account_json', 'expires_ms'])
        .where('trunk_id', '=', trunkId)
        .orderBy('contact')
        .execute();
      return rows.map((row) => ({
        contact: row.contact,
        accountJson: row.account_json,
        expiresMs: row.expires_ms,
      }));
    },
    put: async (trunkId, { accountJson, contact, expiresMs }) => {
      await query
        .insertInto('trunk_contacts')
        .columns(['trunk_id', 'contact', 'account_json', 'expires_ms'])
        .expression((eb) =>
          eb
            .selectFrom('sip_trunks')
            .select(({ val }) => [
              'sip_trunks.id',
              val(contact).as('contact'),
              val(accountJson).as('account_json'),
              val(expiresMs).as('expires_ms'),
            ])
            .where('sip_trunks.id', '=', trunkId),
        )
        .onConflict((conflict) =>
          conflict.columns(['trunk_id', 'contact']).doUpdateSet({ account_json: accountJson, expires_ms: expiresMs }),
        )
        .execute();
    },
    remove: async (trunkId, contact) => {
      await query.deleteFrom('trunk_contacts').where('trunk_id', '=', trunkId).where('contact', '=', contact).execute();
    },
  };
}

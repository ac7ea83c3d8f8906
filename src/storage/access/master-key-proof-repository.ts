import type { Database } from '../database/database.ts';

const ONLY_ID = 1;

/** The value that tells whether a key is the one that the secrets here are sealed with. All methods reject with a `DatabaseError`. */
export interface MasterKeyProofRepository {
  /** Null where nothing was ever sealed. */
  find(): Promise<string | null>;
  /** Keeps this value where there is none, and answers the one that is kept: of any number of processes at once, one's. */
  keep(valueSealed: string): Promise<string>;
}

export function createMasterKeyProofRepository({ query }: Pick<Database, 'query'>): MasterKeyProofRepository {
  const proof = query.selectFrom('master_key_proof').select('value_sealed').where('id', '=', ONLY_ID);
  return {
    find: async () => (await proof.executeTakeFirst())?.value_sealed ?? null,
    keep: async (valueSealed) => {
      await query
        .insertInto('master_key_proof')
        .values({ id: ONLY_ID, value_sealed: valueSealed })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return (await proof.executeTakeFirstOrThrow()).value_sealed;
    },
  };
}

import type { Database } from '../database/database.ts';

const ONLY_ID = 1;

/** A sealed value that shows whether a master key is the one of this database. All methods reject with a `DatabaseError`. */
export interface MasterKeyProofRepository {
  /** Null before the first start. */
  find(): Promise<string | null>;
  /** Stores the value if there is none, and returns the stored one. Concurrent processes get the same. */
  keep(valueSealed: string): Promise<string>;
  /** Replaces the proof. No effect if it is no longer `before`. */
  replace(before: string, valueSealed: string): Promise<void>;
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
    replace: async (before, valueSealed) => {
      await query
        .updateTable('master_key_proof')
        .set({ value_sealed: valueSealed })
        .where('id', '=', ONLY_ID)
        .where('value_sealed', '=', before)
        .execute();
    },
  };
}

import type { ObjectStore } from './object-store.ts';

/** A store whose newest objects may still wait in a spool of this node. Reads and deletes in both; stores in the store. */
export function createSpooledStore(spool: ObjectStore, store: ObjectStore): ObjectStore {
  return {
    put: (key, path, options) => store.put(key, path, options),
    // In this order: a file leaves the spool once the store has it.
    find: async (key) => (await spool.find(key)) ?? store.find(key),
    delete: async (key) => {
      // The spool last: what the store still has is deleted again by who finds it there.
      await store.delete(key);
      await spool.delete(key);
    },
    close: () => {
      spool.close();
      store.close();
    },
  };
}

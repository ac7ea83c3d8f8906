import type { ObjectStore } from './object-store.ts';

/** A store whose newest objects may still wait in a spool of this node. Reads and deletes in both; stores in the store. */
export function createSpooledStore(spool: ObjectStore, store: ObjectStore): ObjectStore {
  return {
    put: (key, path, options) => store.put(key, path, options),
    // In this order: a file leaves the spool once the store has it.
    find: async (key) => (await spool.find(key)) ?? store.find(key),
    delete: async (key) => {
      // In this order: an upload that ends in between finds the call deleted, and deletes its object.
      await store.delete(key);
      await spool.delete(key);
    },
    close: () => {
      spool.close();
      store.close();
    },
  };
}

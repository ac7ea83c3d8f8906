import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseKind } from '../../link/database-link.ts';
import { createAgentTables } from './agents.ts';
import { createCallIndexes, createCallTables } from './calls.ts';
import { createNodeTables } from './cluster.ts';
import { createEventIndexes, createEventTables } from './events.ts';
import { createKnowledgeTables } from './knowledge.ts';
import { createOrganizationTables } from './organizations.ts';
import { createPostCallTables } from './post-call.ts';
import { createTelephonyTables } from './telephony.ts';

/**
 * The schema of 0.1.0, from which every later migration starts. `schema/tables.ts` documents the columns. Times in ms and µs
 * do not fit 32 bits: `bigint`. Everything else is text and small integers, in both databases.
 */
export function baseline(kind: DatabaseKind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await createOrganizationTables(db);
      await createAgentTables(db);
      await createCallTables(db);
      await createCallIndexes(db);
      await createEventTables(db);
      await createEventIndexes(db);
      await createTelephonyTables(db);
      await createPostCallTables(db);
      await createKnowledgeTables(db, kind);
      await createNodeTables(db);
    },
  };
}

import type { Compilable, Kysely } from 'kysely';
import { statementBuilder, wireStatement } from '../database/dialect.ts';
import type { DatabaseKind, DatabaseLink, WireStatement } from '../link/database-link.ts';
import { initialSchema } from './migrations/0001-initial-schema.ts';
import { callLists } from './migrations/0002-call-lists.ts';
import { callDeletion } from './migrations/0003-call-deletion.ts';
import { callEvents } from './migrations/0004-call-events.ts';
import { postCall } from './migrations/0005-post-call.ts';
import { knowledgeBases } from './migrations/0006-knowledge-bases.ts';
import { trunkSettings } from './migrations/0007-trunk-settings.ts';
import { webhookDeliveries } from './migrations/0010-webhook-deliveries.ts';
import { apiKeyPrefix } from './migrations/0011-api-key-prefix.ts';
import { retention } from './migrations/0012-retention.ts';
import { nodes } from './migrations/0013-nodes.ts';
import { callListTimes } from './migrations/0014-call-list-times.ts';
import { webCalls } from './migrations/0017-web-calls.ts';
import { bridgedDialog } from './migrations/0018-bridged-dialog.ts';
import { inbandDtmf } from './migrations/0019-inband-dtmf.ts';
import { unfinishedRecordings } from './migrations/0020-unfinished-recordings.ts';
import { knowledgeVectors } from './migrations/0021-knowledge-vectors.ts';
import { placedCalls } from './migrations/0023-placed-calls.ts';
import { trunkPings } from './migrations/0025-trunk-pings.ts';
import { redirectMode } from './migrations/0027-redirect-mode.ts';
import { nodeOrders } from './migrations/0028-node-orders.ts';
import { webhookQueues } from './migrations/0029-webhook-queues.ts';
import { masterKeyProof } from './migrations/0030-master-key-proof.ts';
import { idempotentCalls } from './migrations/0031-idempotent-calls.ts';
import type { Tables } from './tables.ts';

export interface Migration {
  /** Never changed once released: it is how a database knows what it has. */
  readonly name: string;
  statements(schema: Kysely<Tables>, kind: DatabaseKind): readonly Compilable[];
}

/** In the order in which they run. */
const MIGRATIONS: readonly Migration[] = [
  initialSchema,
  callLists,
  callDeletion,
  callEvents,
  postCall,
  knowledgeBases,
  trunkSettings,
  webhookDeliveries,
  apiKeyPrefix,
  retention,
  nodes,
  callListTimes,
  webCalls,
  bridgedDialog,
  inbandDtmf,
  unfinishedRecordings,
  knowledgeVectors,
  placedCalls,
  trunkPings,
  redirectMode,
  nodeOrders,
  webhookQueues,
  masterKeyProof,
  idempotentCalls,
];

/** Of PostgreSQL's advisory locks, whose numbers all programs of a database share: «trunkline» in letters of a keypad. */
const MIGRATION_LOCK = 878_655_463;

/**
 * Brings the schema up to date. A migration and the row that says it ran are one transaction, and that row's name is
 * unique: whoever comes second, in whatever process, finds the row and changes nothing. On PostgreSQL the second one waits
 * for the first at a lock; SQLite has one writer.
 */
export async function migrate(kind: DatabaseKind, writer: DatabaseLink): Promise<void> {
  const schema = statementBuilder(kind);
  const lock: readonly WireStatement[] =
    kind === 'postgres'
      ? [{ sql: 'SELECT pg_advisory_xact_lock($1)', parameters: [MIGRATION_LOCK], mustChange: false }]
      : [];
  const table = schema.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', 'text', (c) => c.primaryKey());
  await writer.run([...lock, wireStatement(table.compile())]);
  for (const migration of MIGRATIONS) {
    const mark = schema
      .insertInto('migrations')
      .values({ name: migration.name })
      .onConflict((conflict) => conflict.doNothing());
    const changes = migration.statements(schema, kind).map((statement) => wireStatement(statement.compile()));
    await writer.run([...lock, wireStatement(mark.compile(), true), ...changes]);
  }
}

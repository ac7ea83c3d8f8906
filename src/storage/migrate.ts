import { type Compilable, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { wireStatement } from './dialect.ts';
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
import type { Tables } from './tables.ts';
import type { WorkerLink } from './worker-link.ts';

export interface Migration {
  /** Never changed once released: it is how a database knows what it has. */
  readonly name: string;
  statements(schema: Kysely<Tables>): readonly Compilable[];
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
];

/**
 * Brings the schema up to date. A migration and the row that says it ran are one transaction, and that row's name is
 * unique: whoever comes second, in whatever process, finds the row and changes nothing.
 */
export async function migrate(writer: WorkerLink): Promise<void> {
  const schema = statementBuilder();
  const table = schema.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', 'text', (c) => c.primaryKey());
  await writer.run([wireStatement(table.compile())]);
  for (const migration of MIGRATIONS) {
    const mark = schema
      .insertInto('migrations')
      .values({ name: migration.name })
      .onConflict((conflict) => conflict.doNothing());
    const changes = migration.statements(schema).map((statement) => wireStatement(statement.compile()));
    await writer.run([wireStatement(mark.compile(), true), ...changes]);
  }
}

/** Compiles statements and runs none. */
function statementBuilder(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (query) => new SqliteIntrospector(query),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

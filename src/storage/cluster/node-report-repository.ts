import type { Database, Step } from '../database/database.ts';
import { databaseNowMs } from '../database/database-clock.ts';

/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const ROWS_AT_ONCE = 1_000;

/** What a report is about. */
export type ReportSubject = 'registration' | 'reachability' | 'circuit';

/** Identifies a report among those of its node. */
export interface ReportKey {
  readonly subject: ReportSubject;
  /** Id of a trunk, or name of a provider. */
  readonly key: string;
}

export interface StoredReport {
  readonly nodeId: string;
  readonly key: string;
  readonly bodyJson: string;
}

/** What the nodes see of trunks and providers. All methods reject with a `DatabaseError`. */
export interface NodeReportRepository {
  /** Stores reports of a node and removes others, together. `removed` null: all that are not in `changed`. */
  store(
    nodeId: string,
    changed: readonly (ReportKey & { readonly bodyJson: string })[],
    removed: readonly ReportKey[] | null,
  ): Promise<void>;
  /** Of the other nodes with a valid lease. `keys` absent: all. */
  ofOthers(nodeId: string, subject: ReportSubject, keys?: readonly string[]): Promise<readonly StoredReport[]>;
  /** Removes the reports of a node. */
  removeAll(nodeId: string): Promise<void>;
  /** Removes the reports of nodes without a lease. */
  removeOld(): Promise<void>;
}

export function createNodeReportRepository({ atomically, kind, query }: Database): NodeReportRepository {
  const alive = () => query.selectFrom('nodes').select('nodes.id').where('lease_until_ms', '>', databaseNowMs(kind));
  return {
    store: async (nodeId, changed, removed) => {
      const ofNode = query.deleteFrom('node_reports').where('node_id', '=', nodeId);
      const steps: Step[] =
        removed === null
          ? [{ statement: ofNode }]
          : removed.map(({ key, subject }) => ({
              statement: ofNode.where('subject', '=', subject).where('key', '=', key),
            }));
      for (let from = 0; from < changed.length; from += ROWS_AT_ONCE) {
        const some = changed.slice(from, from + ROWS_AT_ONCE);
        steps.push({
          statement: query
            .insertInto('node_reports')
            .values(some.map(({ bodyJson, key, subject }) => ({ node_id: nodeId, subject, key, body_json: bodyJson })))
            .onConflict((conflict) =>
              conflict
                .columns(['node_id', 'subject', 'key'])
                .doUpdateSet((eb) => ({ body_json: eb.ref('excluded.body_json') })),
            ),
        });
      }
      await atomically(steps);
    },
    ofOthers: async (nodeId, subject, keys) => {
      const all = query
        .selectFrom('node_reports')
        .select(['node_id', 'key', 'body_json'])
        .where('subject', '=', subject)
        .where('node_id', '<>', nodeId)
        .where('node_id', 'in', alive())
        .orderBy('node_id');
      const rows = await (keys === undefined ? all : all.where('key', 'in', keys)).execute();
      return rows.map((row) => ({ nodeId: row.node_id, key: row.key, bodyJson: row.body_json }));
    },
    removeAll: async (nodeId) => {
      await query.deleteFrom('node_reports').where('node_id', '=', nodeId).execute();
    },
    removeOld: async () => {
      await query.deleteFrom('node_reports').where('node_id', 'not in', alive()).execute();
    },
  };
}

import { sql } from 'kysely';
import type { Database, Step } from '../database/database.ts';
import { PreparedVariants, prepared } from '../database/prepared-statement.ts';
import type { AuditLogTable } from '../schema/audit-log-table.ts';

/** One change, or one access to what was said in a call. It has no secret and no phone number. */
export interface AuditRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly atMs: number;
  /** Null: opened by the link of a recording. */
  readonly keyId: string | null;
  /** Operation of the API. */
  readonly action: string;
  /** Null for a list, and for an invalid id. */
  readonly targetId: string | null;
  readonly address: string;
  /** HTTP status of the response. */
  readonly status: number;
}

export interface AuditFilter {
  readonly keyId?: string;
  readonly action?: string;
  readonly targetId?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Position in the log; unique. */
export type AuditPlace = Pick<AuditRecord, 'atMs' | 'id'>;

/** Records of one statement: shorter `AUDIT_LOG_DAYS` can make a million of them too old, and calls write between the statements. */
export const DELETED_AT_ONCE = 500;

/** All methods reject with a `DatabaseError`. No method changes a record. */
export interface AuditLogRepository {
  /** All or none. A record that is stored already is left as it is: an earlier try whose outcome is unknown may have been committed. */
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Newest first, at most `limit`. `before` null: from the newest on. */
  list(
    organizationId: string,
    filter: AuditFilter,
    page: { readonly before: AuditPlace | null; readonly limit: number },
  ): Promise<readonly AuditRecord[]>;
  deleteBefore(atMs: number): Promise<void>;
}

/** Records of one statement, at most: a power of two, so that few statements are prepared. Under load every request is a record. */
const ROWS_MAX = 64;

/** The values of a statement, by column and place. */
interface Rows {
  [text: `${'id' | 'organizationId' | 'action' | 'address'}${number}`]: string;
  [optional: `${'keyId' | 'targetId'}${number}`]: string | null;
  [number: `${'atMs' | 'status'}${number}`]: number;
}

const APPEND = new PreparedVariants((count: number) =>
  prepared<Rows>()((query, slot) => {
    const rows = Array.from({ length: count }, (_, at) => ({
      id: slot(`id${at}`),
      organization_id: slot(`organizationId${at}`),
      at_ms: slot(`atMs${at}`),
      key_id: slot(`keyId${at}`),
      action: slot(`action${at}`),
      target_id: slot(`targetId${at}`),
      address: slot(`address${at}`),
      status: slot(`status${at}`),
    }));
    return query
      .insertInto('audit_log')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing());
  }),
);

function appendStep(records: readonly AuditRecord[]): Step {
  const values: Rows = {};
  for (const [at, record] of records.entries()) {
    values[`id${at}`] = record.id;
    values[`organizationId${at}`] = record.organizationId;
    values[`atMs${at}`] = record.atMs;
    values[`keyId${at}`] = record.keyId;
    values[`action${at}`] = record.action;
    values[`targetId${at}`] = record.targetId;
    values[`address${at}`] = record.address;
    values[`status${at}`] = record.status;
  }
  return { statement: APPEND.of(records.length).with(values) };
}

export function createAuditLogRepository(database: Database): AuditLogRepository {
  const { kind, query } = database;
  /** SQLite gets the name of the index, because it keeps no statistics of the values. PostgreSQL keeps them, and chooses by itself. */
  const recordsBy = (index: string) => {
    const table = sql<AuditLogTable>`audit_log`;
    return query.selectFrom(
      table.as<'record'>(kind === 'sqlite' ? sql`record INDEXED BY ${sql.ref(index)}` : sql`record`),
    );
  };
  return {
    append: async (records) => {
      const steps: Step[] = [];
      for (let from = 0; from < records.length; ) {
        const left = records.length - from;
        const count = Math.min(ROWS_MAX, 2 ** Math.floor(Math.log2(left)));
        steps.push(appendStep(records.slice(from, from + count)));
        from += count;
      }
      if (steps.length > 0) await database.atomically(steps);
    },
    list: async (organizationId, filter, { before, limit }) => {
      const { action, fromMs, keyId, targetId, toMs } = filter;
      let rows = recordsBy(indexOf(filter)).selectAll().where('organization_id', '=', organizationId);
      if (keyId !== undefined) rows = rows.where('key_id', '=', keyId);
      if (action !== undefined) rows = rows.where('action', '=', action);
      if (targetId !== undefined) rows = rows.where('target_id', '=', targetId);
      if (fromMs !== undefined) rows = rows.where('at_ms', '>=', fromMs);
      if (toMs !== undefined) rows = rows.where('at_ms', '<', toMs);
      if (before !== null)
        rows = rows
          .where('at_ms', '<=', before.atMs)
          .where((eb) => eb.or([eb('at_ms', '<', before.atMs), eb('id', '<', before.id)]));
      const found = await rows.orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit).execute();
      return found.map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        atMs: row.at_ms,
        keyId: row.key_id,
        action: row.action,
        targetId: row.target_id,
        address: row.address,
        status: row.status,
      }));
    },
    deleteBefore: async (atMs) => {
      const oldest = query.selectFrom('audit_log').select('id').where('at_ms', '<', atMs);
      const some = oldest.orderBy('at_ms').limit(DELETED_AT_ONCE);
      for (;;) {
        const { numDeletedRows } = await query
          .deleteFrom('audit_log')
          .where('id', 'in', some)
          .executeTakeFirstOrThrow();
        if (numDeletedRows < DELETED_AT_ONCE) return;
      }
    },
  };
}

/** Each has the order of the log. A target has few records, so other filters beside it are checked. */
function indexOf({ action, keyId, targetId }: AuditFilter): string {
  if (targetId !== undefined) return 'audit_log_of_target';
  if (keyId !== undefined) return action === undefined ? 'audit_log_by_key' : 'audit_log_by_key_and_action';
  return action === undefined ? 'audit_log_listed' : 'audit_log_by_action';
}

import { FINAL_STATUSES } from '../schema/call-status.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Every table of which a backup holds the rows, each after the tables that it refers to. The others follow from them: the migrations
 * write `kysely_migration`, triggers keep the full-text index of knowledge, and jobs write the texts of calls. The requests between nodes
 * live for seconds, and would keep contents of calls in the backup. Reports, counts and contacts are of the processes that wrote them.
 */
export const BACKED_UP_TABLES = [
  'master_key_proof',
  'master_keys',
  'master_key_nodes',
  'organizations',
  'api_keys',
  'audit_log',
  'agents',
  'agent_versions',
  'webhook_secrets',
  'sip_trunks',
  'phone_numbers',
  'calls',
  'call_metadata',
  'call_rollup_jobs',
  'call_rollups',
  'provider_rollups',
  'transcript_entries',
  'variable_values',
  'call_turns',
  'call_spans',
  'call_events',
  'webhook_deliveries',
  'idempotency_keys',
  'post_call_questions',
  'post_call_jobs',
  'post_call_answers',
  'knowledge_bases',
  'knowledge_sources',
  'knowledge_chunks',
  'knowledge_vectors',
  'nodes',
  'node_duties',
] as const satisfies readonly (keyof Tables)[];

/** The text of PostgreSQL's full-text index is made again at a restore. */
const DERIVED_COLUMNS: { readonly [table: string]: readonly string[] } = { knowledge_chunks: ['words'] };

/** Runs after a restore: each ended call gets a job that writes its text, as after the migration that made the texts. */
export const JOBS_FOR_TEXTS = `INSERT INTO call_rollup_jobs (call_id, counted) SELECT id, 1 FROM calls
  WHERE status IN (${FINAL_STATUSES.map((status) => `'${status}'`)}) AND deleted_ms IS NULL
  AND id NOT IN (SELECT call_id FROM call_rollup_jobs)`;

export function isBackedUpColumn(table: string, column: string): boolean {
  return DERIVED_COLUMNS[table]?.includes(column) !== true;
}

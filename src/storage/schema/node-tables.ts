import type { Generated } from 'kysely';

/** What several nodes of one database share beside calls. */
export interface NodeTables {
  /** `start_id`: of the process that holds the lease; empty for one of an earlier version. */
  nodes: { id: string; lease_until_ms: number; start_id: Generated<string> };
  /** Leases of the leader's work. */
  node_duties: { duty: string; node_id: string; lease_until_ms: number };
  /** Live commands to calls of other nodes; removed when taken. */
  node_orders: { id: string; order_json: string; created_ms: number };
  /** Answers to questions of other nodes, null without one; removed when read. */
  node_answers: { id: string; body: Uint8Array | null; created_ms: number };
  /** What each node sees of trunks and providers. Those of a node without a lease do not count. */
  node_reports: { node_id: string; subject: string; key: string; body_json: string };
  /** Requests that all nodes have taken of a limit, for themselves or in advance, in the window that ends at `ends_ms`. */
  request_windows: { name: string; ends_ms: number; taken: number };
  /** When the calls of the last second began, over all nodes. PostgreSQL only. */
  call_starts: { name: string; starts_ms: readonly number[] };
}

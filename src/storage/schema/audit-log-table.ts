/** Rows are only added, and deleted by age. */
export interface AuditLogTable {
  id: string;
  organization_id: string;
  at_ms: number;
  /** Null: opened by the link of a recording. */
  key_id: string | null;
  /** Operation of the API. */
  action: string;
  target_id: string | null;
  address: string;
  /** HTTP status of the response. */
  status: number;
}

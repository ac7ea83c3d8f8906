import type { ColumnType, Generated } from 'kysely';
import type { AuditLogTable } from './audit-log-table.ts';
import type { NodeTables } from './node-tables.ts';
import type { CallRollupTable, ProviderRollupTable } from './rollup-tables.ts';

/** Stands in place of an agent's id in the tables. */
export const NO_AGENT = '';

/**
 * The tables, as Kysely sees them. One convention for both databases: ids are UUID text, flags are 0 or 1, `*_ms` is a
 * time in ms since 1970, `*_us` one in µs, `*_json` is JSON text, `*_sealed` is encrypted by `Secrets`.
 *
 * `listed_us` is the order of a list: given at creation, never changed, strictly increasing within the organization.
 */
export interface Tables extends NodeTables {
  /** Kysely's list of the migrations that ran; `timestamp` is ISO 8601. */
  kysely_migration: { name: string; timestamp: string };
  /** One row, sealed with the master key: shows at a start whether the key is the same. */
  master_key_proof: { id: number; value_sealed: string };
  /** During a rotation of the master key: the old key sealed with the new one, and the new key sealed with the old one. */
  master_keys: { id: string; sealed_with: string; key_sealed: string };
  /** During a rotation: the key that each node was started with, and the keys that it can open values of, separated by spaces. */
  master_key_nodes: { node_id: string; own_key_id: string; known_key_ids: string };
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  agents: AgentTable;
  agent_versions: AgentVersionTable;
  calls: CallTable;
  call_metadata: CallMetadataTable;
  call_texts: CallTextTable;
  /** The full-text index of the texts; SQLite only. */
  call_text_index: { rowid: number; call_text_index: string };
  /** Ended calls that are still to be added to the rollups and to the texts. `counted` is 1 if only the text is missing. */
  call_rollup_jobs: { call_id: string; counted: Generated<number> };
  call_rollups: CallRollupTable;
  provider_rollups: ProviderRollupTable;
  transcript_entries: TranscriptEntryTable;
  variable_values: VariableValueTable;
  call_turns: CallTurnTable;
  call_spans: CallSpansTable;
  call_events: CallEventTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_secrets: WebhookSecretTable;
  phone_numbers: PhoneNumberTable;
  sip_trunks: SipTrunkTable;
  idempotency_keys: IdempotencyKeyTable;
  post_call_questions: PostCallQuestionTable;
  post_call_jobs: PostCallJobTable;
  post_call_answers: PostCallAnswerTable;
  knowledge_bases: KnowledgeBaseTable;
  knowledge_sources: KnowledgeSourceTable;
  knowledge_chunks: KnowledgeChunkTable;
  knowledge_vectors: KnowledgeVectorTable;
  audit_log: AuditLogTable;
  /** The full-text index of the chunks; SQLite only. */
  knowledge_index: { rowid: number };
  /** In how many chunks a word occurs. SQLite counts over all bases. */
  knowledge_words: { base: string; term: string; doc: number };
  /** Contacts that were registered with a trunk and not removed. `account_json`: registrar and username. */
  trunk_contacts: { trunk_id: string; contact: string; account_json: string; expires_ms: number };
}

export interface OrganizationTable {
  id: string;
  name: string;
  created_ms: number;
  /** The highest `listed_us` of this organization; each insert into a list raises it first. */
  last_listed_us: number;
}

export interface ApiKeyTable {
  id: string;
  organization_id: string;
  name: string;
  /** SHA-256 of the key in hex. Keys are random and ≥ 32 characters, so no salt or stretching is needed. */
  hash: string;
  /** First characters, for people; empty for keys that the service did not make. */
  prefix: string;
  scopes_json: string;
  created_ms: number;
  revoked_ms: number | null;
}

export interface AgentTable {
  id: string;
  organization_id: string;
  name: string;
  webhook_url: string | null;
  webhook_subscriptions_json: string;
  /** Set when the webhook answered 410; cleared when the URL is set again. */
  webhook_disabled_ms: number | null;
  secure_recording_urls: number;
  active_version: number;
  listed_us: number;
  created_ms: number;
  updated_ms: number;
}

export interface AgentVersionTable {
  agent_id: string;
  version: number;
  configuration_id: string;
  configuration_json: string;
  published: number;
  created_ms: number;
}

export interface CallTable {
  id: string;
  organization_id: string;
  /** On the call of a redirected number: its agent for webhooks and recording, or `NO_AGENT`; `agent_version` is 0. */
  agent_id: string;
  agent_version: number;
  type: string;
  direction: string;
  status: string;
  from_number: string | null;
  to_number: string | null;
  metadata_json: string;
  dynamic_variables_json: string;
  /** Fields of the agent that this call replaces. */
  agent_overrides_json: string | null;
  listed_us: number;
  created_ms: number;
  /** While `staged`: when the call expires. */
  staging_deadline_ms: number | null;
  /** The answer (2xx). */
  start_ms: number | null;
  end_ms: number | null;
  end_reason: string | null;
  /** Number or SIP URI. */
  redirect_target: string | null;
  answer_type: string | null;
  redirect_duration_seconds: number;
  cost: number;
  sip_call_id: string | null;
  /** Data for a BYE from another process; cleared at the end. */
  dialog_json: string | null;
  /** Data for a BYE on the leg that the call is bridged to. */
  bridged_dialog_json: string | null;
  /** Below the data directory. */
  recording_path: string | null;
  /** 0: audio is missing. Null without a recording, or while it is being written. */
  recording_complete: number | null;
  secure_recording: number;
  /** Identifies the recording in a URL that needs no API key. */
  recording_token: string;
  metrics_json: string | null;
  /** When the content was deleted. */
  deleted_ms: number | null;
  /** The node that runs the call, or staged it. */
  node_id: string | null;
  /** The node that closed the call after the lease of `node_id` had expired. */
  adopted_by: string | null;
  /** `given` or `refused`; null: the user was not asked. */
  recording_consent: string | null;
  /** See `CallRecord`. */
  traceparent: string | null;
  /** Web call: SHA-256 in hex of the one-time token that opens its media. */
  web_token_hash: string | null;
  /** Median response time of the call, ms: the part of its metrics that a filter reads. */
  response_ms: number | null;
  /** Longest response time of the call, ms. Null without one, and until the rollup runner has filled it. */
  slowest_response_ms: number | null;
}

/** The entries of a call's metadata, for the filter. The call is the one with this `listed_us`. */
export interface CallMetadataTable {
  organization_id: string;
  /** The hash of a name and its value. */
  entry_hash: string;
  listed_us: number;
}

/** The words that were heard in an ended call, for the filter. The call is the one with this `listed_us`. */
export interface CallTextTable {
  /** SQLite only: in the order of `listed_us`. Above 2^53, so it is not read. */
  id: ColumnType<number, number | undefined, never>;
  /** The organization's id without dashes: one word of the full-text index. */
  organization: string;
  listed_us: number;
  /** SQLite: the folded words with spaces around each. PostgreSQL: their tsvector. */
  words: string;
}

export interface TranscriptEntryTable {
  call_id: string;
  sequence: number;
  role: string;
  start_us: number;
  end_us: number | null;
  content: string;
  /** The fields of the entry's role. */
  fields_json: string;
}

export interface VariableValueTable {
  call_id: string;
  name: string;
  type: string;
  value_json: string;
  updated_ms: number;
}

export interface CallTurnTable {
  call_id: string;
  turn: number;
  metrics_json: string;
}

/** Several spans of a call in the order of their ends; their times are µs since 1970. */
export interface CallSpansTable {
  call_id: string;
  /** From 1, rising in the order of writing. */
  part: number;
  spans_json: string;
}

/** Events of calls and their delivery to webhooks. */
export interface CallEventTable {
  id: string;
  organization_id: string;
  agent_id: string;
  call_id: string;
  /** From 1, within the call, without gaps. */
  sequence: number;
  type: string;
  data_json: string;
  /** The agent's webhook URL when the event was stored; empty if the agent did not subscribe to the type. */
  url: string;
  created_ms: number;
  /** `unsent` (no webhook), `pending`, `delivered` or `failed`. */
  status: string;
  /** Position on the retry schedule. `webhook_deliveries` holds the attempts themselves. */
  attempts: number;
  next_attempt_ms: number;
  /** 1: an earlier event of the call must be delivered first. */
  waits: number;
}

export interface WebhookDeliveryTable {
  id: string;
  event_id: string;
  /** From 1, within the event. */
  attempt: number;
  attempted_ms: number;
  duration_ms: number;
  http_status: number | null;
  /** Beginning of the response body, or the error. */
  outcome: string;
}

export interface WebhookSecretTable {
  id: string;
  agent_id: string;
  secret_sealed: string;
  created_ms: number;
  /** When the secret stops signing; null for the newest. */
  expires_ms: number | null;
}

export interface PhoneNumberTable {
  id: string;
  organization_id: string;
  /** E.164; unique in the service. */
  number: string;
  name: string;
  type: string;
  inbound_agent_id: string | null;
  redirect: number;
  redirect_phone_number: string | null;
  redirect_mode: string;
  sip_uri: string | null;
  trunk_id: string | null;
  lookup_webhook_url: string | null;
  sip_header_variables_json: string;
  listed_us: number;
  created_ms: number;
}

export interface SipTrunkTable {
  id: string;
  organization_id: string;
  name: string;
  /** `host[:port]`. */
  termination_uri: string;
  transport: string;
  username: string | null;
  password_sealed: string | null;
  allowed_addresses_json: string;
  register: number;
  codecs_json: string;
  srtp: string;
  /** 0 or 1. */
  inband_dtmf: number;
  max_concurrent_calls: number | null;
  max_calls_per_second: number | null;
  priority: number | null;
  options_interval_seconds: number | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  from_user: string | null;
  from_domain: string | null;
  listed_us: number;
  created_ms: number;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  key: string;
  /** SHA-256 of method, path and body. */
  request_hash: string;
  created_ms: number;
  /** Null while the first request is in progress, or if its process died after it created the call. */
  answer_status: number | null;
  answer_sealed: string | null;
  /** The call that the request created, stored in the same transaction. */
  call_id: string | null;
  /** The node that handles the request. */
  node_id: string | null;
}

export interface PostCallQuestionTable {
  id: string;
  agent_id: string;
  /** The order of the agent's questions, from 1. */
  place: number;
  name: string;
  description: string;
  type: string;
  origin: string;
  is_active: number;
  is_optional: number;
  model: string | null;
  options_json: string;
  examples_json: string;
  created_ms: number;
  updated_ms: number;
}

/** A pending run of post-call questions. */
export interface PostCallJobTable {
  call_id: string;
  attempts: number;
  next_attempt_ms: number;
}

export interface PostCallAnswerTable {
  call_id: string;
  answers_json: string;
}

export interface KnowledgeBaseTable {
  id: string;
  organization_id: string;
  name: string;
  listed_us: number;
  created_ms: number;
}

export interface KnowledgeSourceTable {
  id: string;
  knowledge_base_id: string;
  /** The order within its base, from 1. */
  place: number;
  type: string;
  file_name: string;
  status: string;
  /** Why ingestion failed. */
  error: string | null;
  /** Ingestion attempts so far. */
  attempts: number;
  created_ms: number;
  /** The model that has embedded all chunks; null before that. */
  embedding_model: string | null;
}

export interface KnowledgeChunkTable {
  id: Generated<number>;
  /** The knowledge base's id without dashes: one word of the full-text index. */
  base: string;
  source_id: string;
  page: number | null;
  heading: string;
  content: string;
  /** PostgreSQL only: the text of its full-text index. */
  words: ColumnType<string, string | undefined, never>;
}

/** The embedding of a chunk. */
export interface KnowledgeVectorTable {
  /** Removed with the chunk. */
  chunk_id: number;
  model: string;
  /** 32-bit floats, little-endian; empty for a text that the model rejects. */
  vector: Uint8Array;
}

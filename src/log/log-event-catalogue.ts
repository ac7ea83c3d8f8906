import type { CallProviderKind } from '../../engine/core/notice.ts';

/** `parent exited`: npm, which started the process, has gone. */
export type StopCause = 'SIGTERM' | 'SIGINT' | 'parent exited' | 'uncaught exception';

/**
 * Every event that the service logs, with its fields. An event is a constant string: noun first, past tense. Variable parts
 * are fields. `log-mask.ts` masks numbers and secrets in each line. Each line of a call has its `call_id`.
 */
export interface LogFields {
  // --- Service ---
  /** `turn_detection: model` uses the rules until the service is started again. */
  'end-of-turn model failed': Failure & { path: string };
  'end-of-turn model loaded': { path: string };
  'service started': { http_url: string; sip: readonly string[] };
  /** No new calls are accepted; those in progress have `grace_seconds` to end. */
  'service stop requested': { cause: StopCause; grace_seconds: number };
  'service stopped': Empty;
  'uncaught exception ended the process': Failure;
  /** `trunkline rotate-master-key` runs: this node seals with the new key now. */
  'master key replaced': { key_id: string };
  'master key check failed': Failure;
  'TLS files reloaded': Empty;
  'TLS file reload failed': Failure;
  'log line masking failed': Empty;
  /** Agents that name no provider fail until `setting` is set, or `variable` names another provider. */
  'default provider not configured': { variable: string; provider: string; setting: string };
  /** The service knows no variable of this name; `nearest` resembles it. */
  'environment file variable ignored': { variable: string; nearest?: string };
  /** A variable of the process was meant for the service, which does not know it; `nearest` resembles it. */
  'environment variable ignored': { variable: string; nearest?: string };
  /** Line `line` of the `.env` file, from 1, is no assignment, or has a quote that does not end the value. */
  'environment file line malformed': { line: number };
  /** It sets the embedded SIP server, which `SIP_SERVER` replaces. */
  'variable without effect beside SIP_SERVER': { variable: string };

  // --- Calls ---
  'call started': {
    direction: string;
    type: string;
    /** `caller`: the INVITE came in. `callee`: we sent it. `browser`: a web call. */
    leg: 'caller' | 'callee' | 'browser';
    from: string | null;
    to: string | null;
    /** Null for a redirected call. */
    agent_id: string | null;
    /** Null without a trunk. Of an outbound call the first; `trunk attempt failed` reports others. */
    trunk_id: string | null;
  };
  'call ended': {
    reason: string;
    /** Which provider failed, or which SIP status ended the call. */
    detail?: string;
    /** From the answer; 0 without one. */
    duration_seconds: number;
    /** Absent, like `cost`, for a call whose process or node was lost. */
    turns?: number;
    /** In the currency of PRICES_FILE. */
    cost?: number;
    /** The node that was lost, of a call that another node has ended. */
    lost_node_id?: string;
  };
  'call error': Failure;
  /** The call cannot continue: it ends or is transferred. */
  'call failed': { reason: string; detail: string };
  /** No provider of a kind answered: the agent apologised and listens on. `reason`: the `end_reason` that a second one has. */
  'turn failed': { reason: string; detail: string };
  'call status check failed': Failure;
  'call write failed': Failure & { write: string };
  'tape write failed': Failure;
  'tape skipped, disk below low-water mark': Empty;
  /** The recording was deleted. */
  'recording redaction failed': Failure;
  /** The user has refused the recording; the error names the file that is left. */
  'recording deletion failed': Failure;
  /** The call host exited, and the file cannot be read or deleted now: the next start finishes it. */
  'recording recovery failed': Failure & { call_id: string };
  'recording incomplete': { path: string; reason: string };
  'transfer started': { destination: string; mode: string };
  'transfer completed': { destination: string; mode: string };
  'transfer check failed': Failure;
  'transfer failed': { destination: string; mode: string; reason?: string };
  'knowledge search failed': Failure;
  /** The number's own agent takes the call. */
  'caller lookup failed': { phone_number_id: string; reason: string };
  /** A value of an INVITE header is not of the type that the agent declares. */
  'SIP header variable ignored': { variable: string; expected: string };
  'web call connection refused': { source: string; reason: string };
  /** `reason`: the sound or the words that decided it. */
  'answer type detected': { answer_type: string; reason: string };
  /** The transfer of `on_provider_failure` is not possible; the call ends. */
  'failure transfer skipped': { reason: string };
  'REFER refused, call bridged': Empty;
  /** The media sent no audio in time. `next`: what the call does instead. */
  'playout stalled': { next: 'transfer' | 'end' | 'listen' };
  /** It is filled in as an empty text. `tool`: null for a text of the agent. */
  'variable value missing': {
    variable: string;
    used_in: 'text' | 'tool_url' | 'transfer_destination';
    tool: string | null;
  };
  /** An exception of a rule; the call ends as `internal_error`. `err` is the stack. */
  'engine rule failed': Failure;
  /** An exception of a port of the call, such as its media or its tools. */
  'call port failed': Failure & { port: string };

  // --- Transcriber, language model, voice ---
  /** The one line of a failover. */
  'provider failed over': { kind: CallProviderKind; from: string; to: string; error: string };
  /** The provider is asked again, or it was the last one: then `call failed` follows. */
  'provider failed': { kind: CallProviderKind; provider: string; error: string };
  /** It reported no word of this much speech; it gets the speech again. */
  'transcriber reopened': { speech_ms: number };
  /** The new stream of the transcriber does not get this much audio. */
  'user audio lost': { lost_ms: number };
  /** The model is not asked again in this turn. */
  'generation limit reached': { generations: number };
  /** The rest of the response is dropped. */
  'segment limit reached': { segments: number };
  /** No words and no tool calls. The model is not asked again. */
  'model response empty': { provider: string };
  'history summary failed': { error: string };
  'variable extraction failed': { error: string };

  // --- SIP ---
  /** `from` and `to`: user parts, with masked numbers. `cause`: a `RefusalCause`. */
  'INVITE refused': {
    source: string;
    from: string | null;
    to: string | null;
    status: number;
    cause: string;
    detail?: string;
  };
  'INVITE handler failed': Failure;
  /** `trunk_id` null: a host of a bridge that is no trunk. `next_trunk_id` null: no other trunk is tried. */
  'trunk attempt failed': { trunk_id: string | null; next_trunk_id: string | null; reason: string };
  'trunk became reachable': Reachability;
  'trunk became unreachable': Reachability;
  'trunk ping list reload failed': Failure;
  'registration changed': { trunk_id: string; status: string; error: string | null };
  'registration failed': Failure & { trunk_id: string };
  /** Its calls would have gone to a process that no longer runs. */
  'contact of a dead process removed': { trunk_id: string; contact: string };
  /** Requests from other sources get no response. */
  'SIP sources restricted': { answered: readonly string[] };
  'SIP source list reload failed': Failure;
  'SIP server unavailable': Failure;
  'SIP server exited': { reason: string };
  'signalling error': Failure;
  'noise suppression failed; using the original audio': { reason: string };
  /** `reason`: why epoll sockets are not used. */
  'media sockets chosen': { type: 'epoll' | 'dgram'; reason: string | null };
  'media worker exited': { reason: string };
  /** `host`: from 1 to `CALL_HOSTS`. */
  'call host started': { host: number; pid: number };
  /** Its calls end as `internal_error`; a successor starts. `legs`: those that it held. */
  'call host exited': { host: number; pid: number; reason: string; legs: number };
  /** A fault outside of any call: the host exits. */
  'call host failed': Failure;

  // --- Metrics and traces ---
  /** The collector did not accept the spans, or the queue was full. At most once a minute; `spans`: lost since the last time. */
  'trace export failed': { reason: string; spans: number };
  'log export failed': { reason: string; lines: number };
  'metrics export failed': { reason: string };
  'call trace skipped': { call_id: string; reason: string };
  /** The service runs without metrics. */
  'METRICS_BIND bind failed': { bind: string; reason: string; remedy: string };
  'metrics scrape failed': Failure;
  'metrics reading failed': Failure & { part: string };

  // --- API ---
  'request completed': { method: string; route: string | undefined; status: number; ms: number };
  /** The client left before the end of its body. */
  'request aborted': { method: string; route: string | undefined };
  'request failed': Failure;
  'idempotent response write failed': Failure;
  /** `waiting`: records that are tried again. */
  'audit log write failed': Failure & { waiting: number };
  /** The database did not respond for too long. */
  'audit records lost': { records: number };
  /** The database refuses it, so that it can never be stored. `action`: the operation of the API. */
  'audit record dropped': Failure & { action: string; key_id: string | null; target_id: string | null };
  'audit log deletion failed': Failure;
  /** `by_key_id`: the key of the request. */
  'API key created': KeyChange & { scopes: readonly string[] };
  'API key revoked': KeyChange;
  'call event stream failed': Failure;

  // --- Background work ---
  'webhook pass failed': Failure;
  'webhook outbox read failed': Failure;
  /** The event is sent once the database answers. */
  'webhook secret read failed': Failure & { event_id: string; call_id: string };
  'webhook attempt write failed': Failure & { event_id: string; call_id: string };
  /** The receiver answered 410. Setting the URL enables the webhook again. */
  'webhook disabled': Delivery;
  'webhook delivery abandoned': Delivery;
  /** Calls that ended are missing in the analytics until a later round adds them. */
  'call rollup failed': Failure;
  /** Its records cannot be read: it is counted nowhere, and the others are. */
  'call excluded from analytics': Failure & { call_id: string };
  /** The editor offers none of its models and voices until the next request. */
  'provider list failed': Failure & { provider: string; kind: string };
  'post-call job read failed': Failure;
  'post-call run failed': Failure & { call_id: string };
  'post-call questions unanswered': { call_id: string; reason: string; attempt: number };
  'knowledge ingestion failed': Failure;
  /** The rest of an upload that a crash interrupted stays until the next start. */
  'knowledge file not cleared': Failure;
  /** Searches use words only until it succeeds. */
  'knowledge embedding failed': Failure & { pause_ms: number };
  /** This search uses words only. */
  'question embedding failed': Failure;
  'vector search failed': Failure;
  /** Calls go without the cache. */
  'phrase cache not opened': { folder: string; reason: string; remedy: string };
  'phrase cache error': Failure;
  /** Files of this many calls wait in DATA_DIR since before the start. */
  'spooled call files found': { calls: number };
  /** The object store has not taken a file within `ms`. Logged once until it takes one in less. */
  'call file upload delayed': { waiting: number; ms: number };
  /** The object store did not accept them: the files of `waiting` calls stay in DATA_DIR, and are sent again after `retry_ms`. */
  'call file upload failed': Failure & { waiting: number; retry_ms: number };
  /** The object store accepts files again. */
  'call file uploads resumed': { waiting: number };
  'call content deleted': { calls: number; days: number };
  'call content deletion failed': Failure & { call_id: string | null };
  /** Files may be left of a call whose content was deleted; the next start looks again. `call_id` null: the check at a start. */
  'late call file check failed': Failure & { call_id: string | null };
  'tape request differed': { difference: unknown };

  // --- Nodes ---
  'node lease renewal failed': Failure;
  /** The database could not be reached: this node ends its calls before another node may close them. */
  'node lease expired': Empty;
  /** The lease had expired. Calls that another node has closed end here, too. */
  'node lease regained': Empty;
  /** Calls that another node has closed go on here until a later renewal finds them. */
  'adopted call query failed': Failure;
  /** Expired staged calls, registrations or old requests between nodes: the next renewal tries again. */
  'node duties failed': Failure;
  'orphaned call query failed': Failure;
  /** The next renewal tries again. */
  'orphaned call adoption failed': Failure & { call_id: string };
  'call termination for another node failed': Failure & { call_id: string };
  'live command of another node failed': Failure & { call_id: string };
  'question of another node failed': Failure & { subject: string };
  /** Its part is missing in a response. A node that stands still loses its lease 15 s later. */
  'node did not answer': { node_id: string; subject: string };
  /** What this node sees of trunks and providers: the next renewal of the lease stores it. */
  'node report failed': Failure;
  'trunk reload for another node failed': Failure;
  /** Limits count on this node alone until the database answers. */
  'shared limit unavailable': Failure & { name: string };
  'node notification failed': Failure;
}

type Empty = Record<never, never>;

interface Failure {
  err: unknown;
}

interface KeyChange {
  key_id: string;
  by_key_id: string;
  organization_id: string;
}

interface Reachability {
  trunk_id: string;
  status: number | null;
  error: string | null;
}

interface Delivery {
  event_id: string;
  call_id: string;
  agent_id: string;
  http_status: number | null;
}

export type LogEvent = keyof LogFields;

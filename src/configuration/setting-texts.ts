import type { VariableName } from './variables.ts';

/** The parts of the service that settings belong to, in the order in which they are shown. */
export const SETTING_GROUPS = ['keys', 'service', 'http', 'sip', 'calls', 'rtp', 'providers', 'agents'] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

/** The effect of each variable of the service. */
export const SETTING_TEXTS: Readonly<Record<VariableName, readonly [group: SettingGroup, text: string]>> = {
  TRUNKLINE_API_KEY: ['keys', 'API key with the scope admin. Not set: created at the first start.'],
  TRUNKLINE_MASTER_KEY: ['keys', 'Encrypts secrets in the database. Not set: created in DATA_DIR/master.key.'],
  DATA_DIR: ['service', 'Folder of the database, recordings, uploaded files and the master key.'],
  DATABASE_URL: ['service', 'PostgreSQL for the database. Not set: SQLite in DATA_DIR.'],
  STORAGE_URL: ['service', 'Bucket of an S3-compatible store for recordings, tapes and documents. Not set: DATA_DIR.'],
  AWS_ACCESS_KEY_ID: ['service', 'Access key of the object store. Not set: the SDK of AWS finds one.'],
  AWS_SECRET_ACCESS_KEY: ['service', 'Secret key of the object store.'],
  AWS_SESSION_TOKEN: ['service', 'Token of temporary keys of the object store.'],
  AUDIT_LOG_DAYS: ['service', 'Days after which records of the audit log are deleted.'],
  RETENTION_DAYS: ['service', 'Days after the end of a call until its content is deleted. Not set: never.'],
  DISK_LOW_WATER_MB: [
    'service',
    'Free disk space in MiB below which recordings and tapes stop and uploads are refused.',
  ],
  END_OF_TURN_MODEL: ['service', 'ONNX file of an acoustic end-of-turn model. Not set: the rules decide.'],
  DRAIN_SECONDS: ['service', 'Seconds that calls have to end after SIGTERM.'],
  CALL_HOSTS: ['service', 'Processes that run the phone calls. 0: the service runs them itself.'],
  LOG_LEVEL: ['service', 'The least severe log lines that are written.'],
  LOG_FORMAT: ['service', 'Log format on standard output. Not set: pretty on a terminal, otherwise json.'],
  METRICS_BIND: ['service', 'Address and port of GET /metrics, which needs no API key.'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    'service',
    'OpenTelemetry collector for the traces of calls. Not set: nothing is sent.',
  ],
  OTEL_EXPORTER_OTLP_HEADERS: ['service', 'Headers of each request to the collector.'],
  OTEL_SERVICE_NAME: ['service', 'Name of the service in traces.'],
  OTEL_RESOURCE_ATTRIBUTES: ['service', 'More attributes of the service in traces.'],
  OTEL_METRICS_EXPORTER: ['service', 'otlp: the collector also gets the metrics, each minute.'],
  OTEL_LOGS_EXPORTER: ['service', 'otlp: the collector also gets the log.'],
  OTEL_TRACES_SAMPLER: ['service', 'Which calls are traced.'],
  OTEL_TRACES_SAMPLER_ARG: ['service', 'Share of the calls that a sampler by ratio traces, 0 to 1.'],
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: [
    'service',
    'Whether traces hold what was said, and the arguments and results of tools.',
  ],
  PRICES_FILE: ['service', 'YAML file with your prices. Not set: all costs are 0.'],
  PHRASE_CACHE_MB: ['service', 'Size in MiB of the cache of spoken phrases.'],
  HTTP_BIND: ['http', 'IP address of the HTTP API and this console.'],
  HTTP_PORT: ['http', 'Port of the HTTP API and this console.'],
  PUBLIC_URL: ['http', 'Base URL of the API for clients. Not set: HTTP_BIND and HTTP_PORT.'],
  HTTP_ALLOW_ADDRESSES: ['http', 'Private addresses that custom functions and webhooks may reach.'],
  WEB_CALL_ORIGINS: ['http', 'Origins, beside the service itself, whose pages may open web calls.'],
  RATE_LIMIT_PER_MINUTE: ['http', 'Requests of an API key in a minute.'],
  RATE_LIMIT_PER_HOUR: ['http', 'Requests of an API key in an hour.'],
  API_DOCS: ['http', 'Whether the API reference is served without an API key.'],
  RECORDING_LINK_SECONDS: ['http', 'Seconds until a signed recording URL expires.'],
  SIP_BIND: ['sip', 'IP address of the embedded SIP server.'],
  SIP_PORT: ['sip', 'Port of the embedded SIP server, UDP and TCP.'],
  SIP_TLS_CERT: ['sip', 'PEM file of the certificate for SIP over TLS. Not set: no TLS server.'],
  SIP_TLS_KEY: ['sip', 'PEM file of the key of that certificate.'],
  SIP_TLS_PORT: ['sip', 'Port of SIP over TLS.'],
  SIP_TLS_CA: ['sip', 'PEM file of certificate authorities for outbound TLS, beside those of the system.'],
  SIP_TLS_VERIFY: ['sip', 'Whether trunks must present a valid certificate.'],
  SIP_EXTERNAL_ADDRESS: ['sip', 'Public IP address in SIP and SDP behind NAT. Not set: SIP_BIND.'],
  SIP_LOCAL_NETWORKS: ['sip', 'Networks whose peers get SIP_BIND instead of SIP_EXTERNAL_ADDRESS.'],
  SIP_ALLOW_ADDRESSES: ['sip', 'SIP hosts, beside the trunks, that calls may be bridged to.'],
  SIP_TRUNK_NETWORKS: ['sip', 'Networks, beside the public internet, in which trunks may be.'],
  SIP_BROAD_RANGES: ['sip', 'Ranges that trunks may list although they are broad.'],
  SIP_SERVER: ['sip', 'External drachtio server. Not set: the embedded SIP server.'],
  SIP_SECRET: ['sip', 'Secret of the drachtio server.'],
  RING_TIMEOUT_SECONDS: ['calls', 'Seconds that an outbound call rings before it ends as no_answer.'],
  STAGED_CALL_NUMBER_CHECK: ['calls', 'Whether the INVITE for a staged call must dial its to_number.'],
  ORGANIZATION_MAX_CALLS: ['calls', 'Outbound calls at once of an organization. Not set: no limit.'],
  ORGANIZATION_MAX_CALLS_PER_SECOND: ['calls', 'New outbound calls of an organization in a second. Not set: no limit.'],
  ORGANIZATION_MAX_INBOUND_CALLS: [
    'calls',
    'Inbound calls at once of an organization on this node. Not set: no limit.',
  ],
  TRUNK_MAX_INBOUND_CALLS: ['calls', 'Inbound calls at once of a trunk on this node. Not set: no limit.'],
  SOURCE_MAX_CALLS: [
    'calls',
    'Most concurrent inbound calls from one unknown source (an address that no trunk lists and that has not authenticated).',
  ],
  ALLOWED_PREFIXES: ['calls', 'Prefixes of numbers that may be dialled. Not set: all outside the premium ranges.'],
  ALLOWED_EXTENSIONS: ['calls', 'Extensions that transfers may dial in SIP URIs. Not set: none.'],
  RTP_BIND: ['rtp', 'IP address of the RTP sockets. Not set: SIP_BIND.'],
  RTP_PORTS: ['rtp', 'Port range of the RTP sockets. A call needs two ports.'],
  RTP_SOCKETS: ['rtp', 'Kind of the RTP sockets. auto: epoll sockets where they work.'],
  ADMISSION_LATENESS_MS: ['rtp', 'Packet lateness in ms above which new calls are refused with 503.'],
  TAPE_DIR: ['providers', 'Folder of a recorded call that the provider tape replays.'],
  DEFAULT_LLM_PROVIDER: ['agents', 'Language model provider of agents that name none.'],
  DEFAULT_LLM_MODEL: ['agents', 'Language model of agents that name none.'],
  DEFAULT_VOICE_PROVIDER: ['agents', 'Voice provider of agents that name none.'],
  DEFAULT_VOICE_NAME: ['agents', 'Voice of agents that name none.'],
  DEFAULT_TRANSCRIBER_PROVIDER: ['agents', 'Transcriber provider of agents that name none.'],
  DEFAULT_TRANSCRIBER_MODEL: ['agents', 'Transcriber model of agents that name none. Not set: that of the provider.'],
};

/** The effect of a variable of a provider, by its kind. */
export const PROVIDER_TEXTS = {
  key: 'API key. The provider is available once its key or its base URL is set.',
  base_url: 'Base URL of a proxy or of a server of your own. Not set: that of the provider.',
  text: 'Name that the provider needs.',
} as const;

/** The effects of the variables of the kind `text`. */
export const NAMED_PROVIDER_TEXTS: ReadonlyMap<string, string> = new Map([
  ['AZURE_API_VERSION', 'API version, such as 2024-10-21. Not set: the v1 API.'],
  ['EMBEDDING_MODEL', 'Model for searching knowledge bases by meaning. Not set: search by words only.'],
  ['ESPEAK_PATH', 'Name or path of the espeak-ng program. Not set: espeak-ng of the system.'],
]);

import { z } from 'zod';
import { PROVIDER_VARIABLES } from '../../adapters/registry/provider-variables.ts';
import { extensions, prefixes } from './destination-settings.ts';
import { STORAGE_VARIABLES } from './storage-settings.ts';
import { TELEMETRY_VARIABLES } from './telemetry-settings.ts';
import {
  addressRanges,
  count,
  databaseUrl,
  days,
  flag,
  hosts,
  httpUrl,
  ip,
  masterKey,
  megabytes,
  metricsBind,
  networks,
  origins,
  port,
  rtpPorts,
  seconds,
  sipServer,
  text,
} from './variable-schemas.ts';

/** Minimum length of an API key in characters: long enough that a key of letters and digits cannot be guessed. */
export const API_KEY_LENGTH_MIN = 32;
/** A call needs two ports (RTP and RTCP). The range is below the ephemeral ports of Linux (32768–60999). */
const RTP_PORTS_DEFAULT = '20000-29999';
/** RFC 3261 §16.6 allows three minutes of ringing; callers rarely wait one minute. */
const RING_TIMEOUT_SECONDS_DEFAULT = '45';
/** A quarter of the 20 ms packet interval: inaudible. */
const ADMISSION_LATENESS_MS_DEFAULT = '10';
/** About two hours of telephone audio. */
const PHRASE_CACHE_MB_DEFAULT = '64';
/** The service runs its calls in its own process. */
const CALL_HOSTS_DEFAULT = '0';
/** Default port of OpenTelemetry Prometheus exporters. */
const METRICS_BIND_DEFAULT = '127.0.0.1:9464';
/** Leaves room for the database and the logs after recordings have stopped. */
const DISK_LOW_WATER_MB_DEFAULT = '256';
/** Every network, so that a PBX beside the service works at once. Services for several organizations restrict it. */
const ANY_NETWORK = '0.0.0.0/0,::/0';
/** More than a telephone system without a trunk entry has; a flood of one source leaves most of a node free. */
const SOURCE_MAX_CALLS_DEFAULT = '200';
const RATE_LIMIT_PER_MINUTE_DEFAULT = '600';
const RATE_LIMIT_PER_HOUR_DEFAULT = '10000';
/** Most calls that are about to end do so within it; deployments with long calls raise it. */
const DRAIN_SECONDS_DEFAULT = '30';
/** One hour (specification of `recording_url`). */
const RECORDING_LINK_SECONDS_DEFAULT = '3600';
/** A week, the longest lifetime of signed URLs at the object stores that clients know. */
const RECORDING_LINK_SECONDS_MAX = 604_800;

/** A year of accounts and reviews. */
const AUDIT_LOG_DAYS_DEFAULT = '365';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['pretty', 'json'] as const;

/** Each variable with its schema and the expectation that an error message states. */
export const VARIABLES = {
  TRUNKLINE_API_KEY: [text.min(API_KEY_LENGTH_MIN).optional(), `at least ${API_KEY_LENGTH_MIN} characters`],
  TRUNKLINE_MASTER_KEY: [masterKey.optional(), '32 bytes as 64 hex digits or base64'],
  DATA_DIR: [text.default('./data'), 'the path of a folder'],
  END_OF_TURN_MODEL: [text.optional(), 'the path of an ONNX file'],
  DATABASE_URL: [databaseUrl.optional(), 'a URL such as postgres://user:password@host:5432/database'],
  RETENTION_DAYS: [days.optional(), 'a whole number of days from 1 to 36500'],
  AUDIT_LOG_DAYS: [days.prefault(AUDIT_LOG_DAYS_DEFAULT), 'a whole number of days from 1 to 36500'],
  ...STORAGE_VARIABLES,
  DISK_LOW_WATER_MB: [megabytes.prefault(DISK_LOW_WATER_MB_DEFAULT), 'a whole number of MiB from 0 to 999999'],
  DRAIN_SECONDS: [seconds.prefault(DRAIN_SECONDS_DEFAULT), 'a whole number of seconds from 0 to 86400'],
  LOG_LEVEL: [z.enum(LOG_LEVELS).default('info'), `one of ${LOG_LEVELS.join(', ')}`],
  LOG_FORMAT: [z.enum(LOG_FORMATS).optional(), 'pretty or json'],
  HTTP_BIND: [ip.default('127.0.0.1'), 'an IP address'],
  HTTP_PORT: [port.prefault('8080'), 'a port from 0 to 65535'],
  PUBLIC_URL: [httpUrl.optional(), 'an http or https URL'],
  HTTP_ALLOW_ADDRESSES: [addressRanges.prefault(''), 'comma-separated IP addresses or CIDR ranges, such as 10.0.0.0/8'],
  WEB_CALL_ORIGINS: [origins.prefault(''), 'comma-separated origins such as https://shop.example, or *'],
  RATE_LIMIT_PER_MINUTE: [count.prefault(RATE_LIMIT_PER_MINUTE_DEFAULT), 'a whole number of requests, at least 1'],
  RATE_LIMIT_PER_HOUR: [count.prefault(RATE_LIMIT_PER_HOUR_DEFAULT), 'a whole number of requests, at least 1'],
  API_DOCS: [flag.prefault('true'), 'true or false'],
  RECORDING_LINK_SECONDS: [
    count.refine((value) => value <= RECORDING_LINK_SECONDS_MAX).prefault(RECORDING_LINK_SECONDS_DEFAULT),
    'a whole number of seconds from 1 to 604800',
  ],
  METRICS_BIND: [metricsBind.prefault(METRICS_BIND_DEFAULT), 'address:port, such as 127.0.0.1:9464, or off'],
  ...TELEMETRY_VARIABLES,
  SIP_BIND: [ip.default('127.0.0.1'), 'an IP address'],
  SIP_PORT: [port.prefault('5060'), 'a port from 0 to 65535'],
  SIP_EXTERNAL_ADDRESS: [ip.optional(), 'an IP address'],
  SIP_LOCAL_NETWORKS: [addressRanges.prefault(''), 'comma-separated IP addresses or CIDR ranges, such as 10.0.0.0/8'],
  SIP_ALLOW_ADDRESSES: [addressRanges.prefault(''), 'comma-separated IP addresses or CIDR ranges, such as 10.0.0.0/8'],
  SIP_BROAD_RANGES: [addressRanges.prefault(''), 'comma-separated CIDR ranges, such as 3.0.0.0/8'],
  SIP_TRUNK_NETWORKS: [networks.prefault(ANY_NETWORK), 'comma-separated CIDR ranges such as 10.1.2.0/24, or none'],
  SIP_TLS_CERT: [text.optional(), 'the path of a PEM file; SIP_TLS_CERT and SIP_TLS_KEY are set together'],
  SIP_TLS_KEY: [text.optional(), 'the path of a PEM file; SIP_TLS_CERT and SIP_TLS_KEY are set together'],
  SIP_TLS_PORT: [port.prefault('5061'), 'a port from 0 to 65535'],
  SIP_TLS_CA: [text.optional(), 'the path of a PEM file'],
  SIP_TLS_VERIFY: [flag.prefault('true'), 'true or false'],
  SIP_SERVER: [sipServer.optional(), 'host:port of a drachtio server; SIP_SERVER and SIP_SECRET are set together'],
  SIP_SECRET: [text.optional(), 'the secret of the drachtio server; SIP_SERVER and SIP_SECRET are set together'],
  RING_TIMEOUT_SECONDS: [
    count.refine((value) => value <= 300).prefault(RING_TIMEOUT_SECONDS_DEFAULT),
    'a whole number of seconds from 1 to 300',
  ],
  STAGED_CALL_NUMBER_CHECK: [z.stringbool({ truthy: ['true'], falsy: ['false'] }).prefault('true'), 'true or false'],
  ORGANIZATION_MAX_CALLS: [count.optional(), 'a whole number of calls, at least 1'],
  ORGANIZATION_MAX_CALLS_PER_SECOND: [count.optional(), 'a whole number of calls, at least 1'],
  ALLOWED_EXTENSIONS: [
    extensions.prefault(''),
    'comma-separated extensions such as 1001,2000-2099,reception: names, numbers of up to 6 digits, ranges of these',
  ],
  ORGANIZATION_MAX_INBOUND_CALLS: [count.optional(), 'a whole number of calls, at least 1'],
  TRUNK_MAX_INBOUND_CALLS: [count.optional(), 'a whole number of calls, at least 1'],
  SOURCE_MAX_CALLS: [count.prefault(SOURCE_MAX_CALLS_DEFAULT), 'a whole number of calls, at least 1'],
  ALLOWED_PREFIXES: [prefixes.prefault(''), 'comma-separated prefixes such as +49,+4930'],
  RTP_BIND: [ip.optional(), 'an IP address'],
  RTP_PORTS: [
    rtpPorts.prefault(RTP_PORTS_DEFAULT),
    'a port range such as 20000-29999 that starts at an even port from 1024',
  ],
  CALL_HOSTS: [
    hosts.prefault(CALL_HOSTS_DEFAULT),
    'a whole number of processes from 0 to 256; 0: the service runs its calls itself',
  ],
  RTP_SOCKETS: [z.enum(['auto', 'dgram']).default('auto'), 'auto or dgram'],
  ADMISSION_LATENESS_MS: [count.prefault(ADMISSION_LATENESS_MS_DEFAULT), 'a whole number of ms, at least 1'],
  TAPE_DIR: [text.optional(), 'the path of a folder'],
  PRICES_FILE: [text.optional(), 'the path of a file'],
  PHRASE_CACHE_MB: [megabytes.prefault(PHRASE_CACHE_MB_DEFAULT), 'a whole number of MiB from 0 (no cache) to 999999'],
  DEFAULT_LLM_PROVIDER: [text.default('openai'), 'the name of a language model provider'],
  DEFAULT_LLM_MODEL: [text.optional(), 'the name of a model of DEFAULT_LLM_PROVIDER, which has no default model'],
  DEFAULT_VOICE_PROVIDER: [text.default('deepgram'), 'the name of a voice provider'],
  DEFAULT_VOICE_NAME: [text.optional(), 'the name of a voice of DEFAULT_VOICE_PROVIDER, which has no default voice'],
  DEFAULT_TRANSCRIBER_PROVIDER: [text.default('deepgram'), 'the name of a transcriber provider'],
  DEFAULT_TRANSCRIBER_MODEL: [text.optional(), 'the name of a model of DEFAULT_TRANSCRIBER_PROVIDER'],
} as const;

/** The variables that adapters declare, by kind. */
export const PROVIDER_KINDS = {
  key: [text.optional(), 'a key'],
  base_url: [httpUrl.optional(), 'an http or https URL'],
  text: [text.optional(), 'a non-empty text'],
} as const;

export const CONFIGURATION_VARIABLES: readonly string[] = [
  ...Object.keys(VARIABLES),
  ...PROVIDER_VARIABLES.map(({ name }) => name),
];

/** The values of variables that have a few. */
export const CHOICES: Readonly<Partial<Record<VariableName, readonly string[]>>> = {
  LOG_LEVEL: LOG_LEVELS,
  LOG_FORMAT: LOG_FORMATS,
  SIP_TLS_VERIFY: ['true', 'false'],
};

/** Variables that are only valid together. */
export const TOGETHER = [
  ['SIP_SERVER', 'SIP_SECRET'],
  ['SIP_TLS_CERT', 'SIP_TLS_KEY'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
] as const;

/** Their values never appear in messages. URLs may contain credentials. */
export const SECRETS: readonly string[] = [
  'TRUNKLINE_API_KEY',
  'TRUNKLINE_MASTER_KEY',
  'DATABASE_URL',
  'PUBLIC_URL',
  'SIP_SECRET',
  'STORAGE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
];

/** A variable of the service itself. */
export type VariableName = keyof typeof VARIABLES;
/** Read values by variable. */
export type Values = { [N in VariableName]: z.output<(typeof VARIABLES)[N][0]> };

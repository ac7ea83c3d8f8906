import { z } from 'zod';
import type { ProviderSettings } from '../../adapters/provider-settings/provider-access.ts';
import { PROVIDER_VARIABLES } from '../../adapters/registry/provider-variables.ts';
import type { AddressRange } from '../../base/network/address-range.ts';
import { llmSchema, transcriberSchema, voiceSchema } from '../../engine/agent/provider-settings.ts';
import type { TlsSettings } from '../../sip/transport/tls-stream.ts';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.ts';
import { extensions, prefixes } from './destination-settings.ts';
import type { Extensions } from './extensions.ts';
import { nearestName } from './nearest-name.ts';
import { DEFAULT_LLM_MODELS, DEFAULT_TRANSCRIBER_MODELS, DEFAULT_VOICE_NAMES } from './provider-defaults.ts';
import type { RtpSettings } from './rtp-settings.ts';
import {
  addressRanges,
  count,
  databaseUrl,
  days,
  flag,
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
const ADMISSION_LATENESS_MS_DEFAULT = '5';
/** About two hours of telephone audio. */
const PHRASE_CACHE_MB_DEFAULT = '64';
/** Default port of OpenTelemetry Prometheus exporters. */
const METRICS_BIND_DEFAULT = '127.0.0.1:9464';
/** Leaves room for the database and the logs after recordings have stopped. */
const DISK_LOW_WATER_MB_DEFAULT = '256';
/** Stands for a default model or voice that the operator must set. */
const UNSET_NAME = 'unset';
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

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['pretty', 'json'] as const;

/** Each variable with its schema and the expectation that an error message states. */
const VARIABLES = {
  TRUNKLINE_API_KEY: [text.min(API_KEY_LENGTH_MIN).optional(), `at least ${API_KEY_LENGTH_MIN} characters`],
  TRUNKLINE_MASTER_KEY: [masterKey.optional(), '32 bytes as 64 hex digits or base64'],
  DATA_DIR: [text.default('./data'), 'the path of a folder'],
  END_OF_TURN_MODEL: [text.optional(), 'the path of an ONNX file'],
  DATABASE_URL: [databaseUrl.optional(), 'a URL such as postgres://user:password@host:5432/database'],
  RETENTION_DAYS: [days.optional(), 'a whole number of days from 1 to 36500'],
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
const PROVIDER_KINDS = {
  key: [text.optional(), 'a key'],
  base_url: [httpUrl.optional(), 'an http or https URL'],
  text: [text.optional(), 'a non-empty text'],
} as const;

export const CONFIGURATION_VARIABLES: readonly string[] = [
  ...Object.keys(VARIABLES),
  ...PROVIDER_VARIABLES.map(({ name }) => name),
];

/** The values of variables that have a few. */
const CHOICES: Readonly<Partial<Record<keyof typeof VARIABLES, readonly string[]>>> = {
  LOG_LEVEL: LOG_LEVELS,
  LOG_FORMAT: LOG_FORMATS,
  SIP_TLS_VERIFY: ['true', 'false'],
};

/** Variables that are only valid together. */
const TOGETHER = [
  ['SIP_SERVER', 'SIP_SECRET'],
  ['SIP_TLS_CERT', 'SIP_TLS_KEY'],
] as const;

/** Their values never appear in messages. URLs may contain credentials. */
const SECRETS: readonly string[] = [
  'TRUNKLINE_API_KEY',
  'TRUNKLINE_MASTER_KEY',
  'DATABASE_URL',
  'PUBLIC_URL',
  'SIP_SECRET',
];

type Name = keyof typeof VARIABLES;
type Values = { [N in Name]: z.output<(typeof VARIABLES)[N][0]> };

export interface Configuration {
  /** API key of the default organization with the scope `admin`. */
  readonly apiKey: string | null;
  readonly masterKey: Uint8Array | null;
  readonly dataDir: string;
  /** ONNX file of the acoustic end-of-turn model; null: none. */
  readonly endOfTurnModel: string | null;
  /** URL of PostgreSQL, may contain a password. null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Days after the end of a call until its content is deleted. null: never. */
  readonly retentionDays: number | null;
  /** Free bytes on the disk of `dataDir` below which recordings and tapes stop and uploads are refused. */
  readonly diskLowWaterBytes: number;
  /** Time that calls have to end after SIGTERM. */
  readonly drainMs: number;
  readonly logLevel: Values['LOG_LEVEL'];
  /** null: `pretty` if standard output is a terminal, otherwise `json`. */
  readonly logFormat: 'pretty' | 'json' | null;
  readonly http: {
    readonly bind: string;
    readonly port: number;
    /** Without a trailing slash. null: derived from the listening address. */
    readonly publicUrl: string | null;
    readonly allowAddresses: readonly AddressRange[];
    /** Origins, beside the own one, whose pages may open the media of a web call. `*`: all. */
    readonly webCallOrigins: readonly string[];
    readonly rateLimits: RateLimits;
    /** Whether `/docs` and `/openapi.json` are served. */
    readonly docs: boolean;
    /** Lifetime of the signed URL of a protected recording. */
    readonly recordingLinkMs: number;
  };
  /** null: metrics are off. */
  readonly metricsBind: { readonly host: string; readonly port: number } | null;
  readonly sip: {
    readonly bind: string;
    readonly port: number;
    /** Address in SIP and SDP instead of `bind`. null: `bind`. */
    readonly externalAddress: string | null;
    /** CIDR ranges whose peers get `bind` instead of `externalAddress`. */
    readonly localNetworks: readonly string[];
    readonly tls: TlsSettings;
    /** External drachtio server. null: the embedded one. */
    readonly server: { readonly host: string; readonly port: number; readonly secret: string } | null;
    /** SIP hosts, beside the trunks, that calls may be bridged to. */
    readonly allowAddresses: readonly AddressRange[];
    /** Ranges that trunks may list although they are broad. */
    readonly broadRanges: readonly AddressRange[];
    /** Networks, beside the public internet, in which trunks may be. */
    readonly trunkNetworks: readonly AddressRange[];
    readonly ringTimeoutMs: number;
    /** Whether the INVITE for a staged call must dial its `to_number`. */
    readonly comparesStagedNumber: boolean;
    /** Limits of outbound calls per organization. null: no limit. */
    readonly organizationLimits: {
      readonly maxConcurrentCalls: number | null;
      readonly maxCallsPerSecond: number | null;
    };
    /** Limits of inbound calls at once on this node. */
    readonly inboundLimits: InboundLimits;
    /** `allowedPrefixes` of dialled numbers; empty: all numbers outside the premium ranges. */
    readonly destinations: { readonly allowedPrefixes: readonly string[]; readonly extensions: Extensions };
  };
  readonly rtp: RtpSettings;
  /** Settings of all providers by variable. Variables that are not set are missing. */
  readonly providers: ProviderSettings;
  /** Folder of the tape that the provider `tape` replays. null: no such provider. */
  readonly tapeDir: string | null;
  /** Path of the price table. null: all costs are 0. */
  readonly pricesFile: string | null;
  /** Maximum size of the phrase cache. 0: off. */
  readonly phraseCacheBytes: number;
  readonly agentDefaults: AgentDefaults;
}

/** Maximum inbound calls at once. */
export interface InboundLimits {
  /** Calls of one address that no trunk lists and that proved no password. */
  readonly perSource: number;
  readonly perTrunk: number | null;
  readonly perOrganization: number | null;
}

/** Maximum requests of one API key per window. */
export interface RateLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

/** Used by agents that do not set these fields. */
export interface AgentDefaults {
  readonly llm: z.output<typeof llmSchema>;
  readonly voice: z.output<typeof voiceSchema>;
  readonly transcriber: z.output<typeof transcriberSchema>;
}

/** Environment variables by name. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. @throws ConfigurationError with all problems */
export function loadConfiguration(environment: Environment): Configuration {
  const { configuration, problems } = readConfiguration(environment);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

/** The configuration, in which each variable with a problem has its default, so that the rest can be checked too. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly problems: readonly ConfigurationProblem[];
}

export function readConfiguration(environment: Environment): ReadConfiguration {
  const names = Object.keys(VARIABLES).filter((name): name is Name => name in VARIABLES);
  const problems: ConfigurationProblem[] = [];
  const read = <N extends Name>(name: N): unknown => {
    const [schema, expected] = VARIABLES[name];
    const given = environment[name];
    const result = schema.safeParse(given === '' ? undefined : given);
    if (result.success) return result.data;
    const nearest = nearestName(given ?? '', CHOICES[name] ?? []);
    problems.push({ variable: name, expected, value: SECRETS.includes(name) ? undefined : given, nearest });
    return schema.parse(undefined);
  };
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as Values;
  for (const [one, other] of TOGETHER) {
    if ((values[one] === undefined) === (values[other] === undefined)) continue;
    const missing = values[one] === undefined ? one : other;
    if (!problems.some(({ variable }) => variable === missing)) {
      problems.push({ variable: missing, expected: VARIABLES[missing][1] });
    }
  }
  values.DEFAULT_LLM_MODEL ??= DEFAULT_LLM_MODELS.get(values.DEFAULT_LLM_PROVIDER);
  values.DEFAULT_VOICE_NAME ??= DEFAULT_VOICE_NAMES.get(values.DEFAULT_VOICE_PROVIDER);
  values.DEFAULT_TRANSCRIBER_MODEL ??= DEFAULT_TRANSCRIBER_MODELS.get(values.DEFAULT_TRANSCRIBER_PROVIDER);
  for (const name of ['DEFAULT_LLM_MODEL', 'DEFAULT_VOICE_NAME'] as const) {
    if (values[name] !== undefined) continue;
    problems.push({ variable: name, expected: VARIABLES[name][1] });
    values[name] = UNSET_NAME;
  }
  const providers: Record<string, string> = {};
  for (const { kind, name } of PROVIDER_VARIABLES) {
    const [schema, expected] = PROVIDER_KINDS[kind];
    const result = schema.safeParse(environment[name] === '' ? undefined : environment[name]);
    // A base URL may contain credentials.
    if (!result.success) problems.push({ variable: name, expected });
    else if (result.data !== undefined) providers[name] = result.data;
  }
  return { configuration: arranged(values, providers), problems };
}

function arranged(values: Values, providers: ProviderSettings): Configuration {
  const { SIP_SERVER: server, SIP_SECRET: secret, SIP_TLS_CERT: certificatePath, SIP_TLS_KEY: keyPath } = values;
  const hasCertificate = certificatePath !== undefined && keyPath !== undefined;
  return {
    apiKey: values.TRUNKLINE_API_KEY ?? null,
    masterKey: values.TRUNKLINE_MASTER_KEY ?? null,
    dataDir: values.DATA_DIR,
    endOfTurnModel: values.END_OF_TURN_MODEL ?? null,
    drainMs: values.DRAIN_SECONDS * 1_000,
    databaseUrl: values.DATABASE_URL ?? null,
    retentionDays: values.RETENTION_DAYS ?? null,
    diskLowWaterBytes: values.DISK_LOW_WATER_MB * 1024 * 1024,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT ?? null,
    http: {
      bind: values.HTTP_BIND,
      port: values.HTTP_PORT,
      publicUrl: values.PUBLIC_URL ?? null,
      allowAddresses: values.HTTP_ALLOW_ADDRESSES,
      webCallOrigins: values.WEB_CALL_ORIGINS,
      rateLimits: { perMinute: values.RATE_LIMIT_PER_MINUTE, perHour: values.RATE_LIMIT_PER_HOUR },
      docs: values.API_DOCS,
      recordingLinkMs: values.RECORDING_LINK_SECONDS * 1_000,
    },
    metricsBind: values.METRICS_BIND,
    sip: {
      bind: values.SIP_BIND,
      port: values.SIP_PORT,
      externalAddress: values.SIP_EXTERNAL_ADDRESS ?? null,
      localNetworks: values.SIP_LOCAL_NETWORKS.map(({ address, prefixLength }) => `${address}/${prefixLength}`),
      tls: {
        certificate: hasCertificate ? { certificatePath, keyPath, port: values.SIP_TLS_PORT } : null,
        authorityPath: values.SIP_TLS_CA ?? null,
        verify: values.SIP_TLS_VERIFY,
      },
      server: server === undefined || secret === undefined ? null : { ...server, secret },
      allowAddresses: values.SIP_ALLOW_ADDRESSES,
      broadRanges: values.SIP_BROAD_RANGES,
      trunkNetworks: values.SIP_TRUNK_NETWORKS,
      ringTimeoutMs: values.RING_TIMEOUT_SECONDS * 1_000,
      comparesStagedNumber: values.STAGED_CALL_NUMBER_CHECK,
      organizationLimits: {
        maxConcurrentCalls: values.ORGANIZATION_MAX_CALLS ?? null,
        maxCallsPerSecond: values.ORGANIZATION_MAX_CALLS_PER_SECOND ?? null,
      },
      inboundLimits: {
        perSource: values.SOURCE_MAX_CALLS,
        perTrunk: values.TRUNK_MAX_INBOUND_CALLS ?? null,
        perOrganization: values.ORGANIZATION_MAX_INBOUND_CALLS ?? null,
      },
      destinations: { allowedPrefixes: values.ALLOWED_PREFIXES, extensions: values.ALLOWED_EXTENSIONS },
    },
    rtp: {
      bind: values.RTP_BIND ?? values.SIP_BIND,
      ports: values.RTP_PORTS,
      sockets: values.RTP_SOCKETS,
      admissionLatenessMs: values.ADMISSION_LATENESS_MS,
    },
    providers,
    tapeDir: values.TAPE_DIR ?? null,
    pricesFile: values.PRICES_FILE ?? null,
    phraseCacheBytes: values.PHRASE_CACHE_MB * 1024 * 1024,
    agentDefaults: agentDefaults(values),
  };
}

function agentDefaults(values: Values): AgentDefaults {
  const { DEFAULT_TRANSCRIBER_PROVIDER: provider, DEFAULT_TRANSCRIBER_MODEL: model } = values;
  return {
    llm: llmSchema.parse({ provider: values.DEFAULT_LLM_PROVIDER, model: values.DEFAULT_LLM_MODEL }),
    voice: voiceSchema.parse({ provider: values.DEFAULT_VOICE_PROVIDER, name: values.DEFAULT_VOICE_NAME }),
    transcriber: transcriberSchema.parse({ provider, model }),
  };
}

import type { z } from 'zod';
import type { ProviderSettings } from '../../adapters/provider-settings/provider-access.ts';
import { PROVIDER_VARIABLES } from '../../adapters/registry/provider-variables.ts';
import type { AddressRange } from '../../base/network/address-range.ts';
import { llmSchema, transcriberSchema, voiceSchema } from '../../engine/agent/provider-settings.ts';
import type { TlsSettings } from '../../sip/transport/tls-stream.ts';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.ts';
import type { Extensions } from './extensions.ts';
import { nearestName } from './nearest-name.ts';
import { DEFAULT_LLM_MODELS, DEFAULT_TRANSCRIBER_MODELS, DEFAULT_VOICE_NAMES } from './provider-defaults.ts';
import type { RtpSettings } from './rtp-settings.ts';
import { type StorageSettings, storageSettings } from './storage-settings.ts';
import { type TelemetrySettings, telemetrySettings } from './telemetry-settings.ts';
import { CHOICES, PROVIDER_KINDS, SECRETS, TOGETHER, VARIABLES, type Values, type VariableName } from './variables.ts';

/** Stands for a default model or voice that the operator must set. */
const UNSET_NAME = 'unset';

export interface Configuration {
  /** API key of the default organization with the scope `admin`. */
  readonly apiKey: string | null;
  readonly masterKey: Uint8Array | null;
  readonly dataDir: string;
  /** ONNX file of the acoustic end-of-turn model; null: none. */
  readonly endOfTurnModel: string | null;
  /** URL of PostgreSQL, may contain a password. null: SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The object store for the files of ended calls; null: they stay in `dataDir`. */
  readonly storage: StorageSettings | null;
  /** Days after the end of a call until its content is deleted. null: never. */
  readonly retentionDays: number | null;
  /** Days after which records of the audit log are deleted. */
  readonly auditLogDays: number;
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
  /** null: traces are off. */
  readonly telemetry: TelemetrySettings | null;
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
  /** Processes that run the phone calls. 0: the service's own. */
  readonly callHosts: number;
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
  const names = Object.keys(VARIABLES).filter((name): name is VariableName => name in VARIABLES);
  const problems: ConfigurationProblem[] = [];
  const read = <N extends VariableName>(name: N): unknown => {
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
  return { configuration: configurationOf(values, providers), problems };
}

function configurationOf(values: Values, providers: ProviderSettings): Configuration {
  const { SIP_SERVER: server, SIP_SECRET: secret, SIP_TLS_CERT: certificatePath, SIP_TLS_KEY: keyPath } = values;
  const hasCertificate = certificatePath !== undefined && keyPath !== undefined;
  return {
    apiKey: values.TRUNKLINE_API_KEY ?? null,
    masterKey: values.TRUNKLINE_MASTER_KEY ?? null,
    dataDir: values.DATA_DIR,
    endOfTurnModel: values.END_OF_TURN_MODEL ?? null,
    drainMs: values.DRAIN_SECONDS * 1_000,
    databaseUrl: values.DATABASE_URL ?? null,
    storage: storageSettings(values),
    retentionDays: values.RETENTION_DAYS ?? null,
    auditLogDays: values.AUDIT_LOG_DAYS,
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
    telemetry: telemetrySettings(values),
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
    callHosts: values.CALL_HOSTS,
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

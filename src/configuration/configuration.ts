import { isIP } from 'node:net';
import { z } from 'zod';
import type { ProviderSettings } from '../../adapters/provider-access.ts';
import { PROVIDER_VARIABLES } from '../../adapters/registry.ts';
import { type AddressRange, parseAddressRanges } from '../../base/network/address-range.ts';
import { llmSchema, transcriberSchema, voiceSchema } from '../../engine/agent/agent.ts';
import type { TlsSettings } from '../../sip/embedded-server/transport/tls-wire.ts';

/** Characters of an API key: enough that a key of letters and digits cannot be guessed. */
export const API_KEY_LENGTH_MIN = 32;
/** RTP and RTCP take two ports a call. The range lies below the ports that Linux gives out by itself (32768–60999). */
const RTP_PORTS_DEFAULT = '20000-29999';
/** RFC 3261 §16.6 lets a proxy ring three minutes; a caller seldom waits one. */
const RING_TIMEOUT_SECONDS_DEFAULT = '45';
/** A quarter of a packet's time: a listener hears nothing of it yet. */
const ADMISSION_LATENESS_MS_DEFAULT = '5';
/** About two hours of telephone audio. */
const PHRASE_CACHE_MB_DEFAULT = '64';
/** The port that exporters of OpenTelemetry take by default. */
const METRICS_BIND_DEFAULT = '127.0.0.1:9464';
/** Enough for the database and the logs to go on when the recordings have stopped. */
const DISK_LOW_WATER_MB_DEFAULT = '256';
/** Transcriber models by provider, where none is named; every other provider knows its own best. */
const DEFAULT_TRANSCRIBER_MODELS: ReadonlyMap<string, string> = new Map([['deepgram', 'nova-3']]);
/** The same of language models and of voices; those of another provider must be named, for no other knows these. */
const DEFAULT_LLM_MODELS: ReadonlyMap<string, string> = new Map([
  ['openai', 'gpt-4.1-mini'],
  ['openai-responses', 'gpt-4.1-mini'],
  ['tape', 'tape'],
]);
const DEFAULT_VOICE_NAMES: ReadonlyMap<string, string> = new Map([
  ['deepgram', 'aura-2-thalia-en'],
  ['espeak', 'default'],
  ['tape', 'tape'],
]);
const RATE_LIMIT_PER_MINUTE_DEFAULT = '600';
const RATE_LIMIT_PER_HOUR_DEFAULT = '10000';

const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= 65_535);
const count = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .refine((value) => value >= 1);
const megabytes = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number);
/** A hundred years are for ever. */
const days = count.refine((value) => value <= 36_500);
/** One that `URL` understands, as the driver reads it: a `%` of a user or password is written `%25`. */
const databaseUrl = z.string().refine((value) => {
  try {
    const { protocol, username, password } = new URL(value);
    decodeURIComponent(username + password);
    return protocol === 'postgres:' || protocol === 'postgresql:';
  } catch {
    return false;
  }
});
const ip = z.string().refine((value) => isIP(value) !== 0);
const httpUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));
const text = z.string().min(1);

const rtpPorts = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/)
  .transform((value) => {
    const [first = 0, last = 0] = value.split('-').map(Number);
    return { first, last };
  })
  .refine(({ first, last }) => first % 2 === 0 && first >= 1_024 && last <= 65_535 && last > first);

const sipServer = z
  .string()
  .regex(/^[^:\s]+:\d{1,5}$/)
  .transform((value) => {
    const [host = '', serverPort] = value.split(':');
    return { host, port: Number(serverPort) };
  })
  .refine((value) => value.port >= 1 && value.port <= 65_535);

const masterKey = z
  .string()
  .transform((value) => Uint8Array.from(Buffer.from(value, /^[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64')))
  .refine((key) => key.length === 32);

/** `off`, or an address and a port: `127.0.0.1:9464`, `[::1]:9464`. */
const metricsBind = z
  .string()
  .transform((value) => {
    if (value === 'off') return null;
    const [, bracketed, plain, given = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value) ?? [];
    return { host: bracketed ?? plain ?? '', port: Number(given) };
  })
  .refine((bind) => bind === null || (isIP(bind.host) !== 0 && bind.port <= 65_535));

const prefixes = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((prefix) => prefix.trim())
      .filter((prefix) => prefix !== ''),
  )
  .refine((list) => list.every((prefix) => /^\+[1-9]\d{0,14}$/.test(prefix)));

/** As a browser names them in `Origin`: scheme, host and port, nothing behind. */
const origins = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  )
  .refine((list) =>
    list.every((origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)),
  );

const addressRanges = z.string().transform((value, context): readonly AddressRange[] => {
  try {
    return parseAddressRanges(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: String(error) });
    return z.NEVER;
  }
});

/** Each variable with what it must hold: an error says exactly this. */
const VARIABLES = {
  TRUNKLINE_API_KEY: [text.min(API_KEY_LENGTH_MIN).optional(), `at least ${API_KEY_LENGTH_MIN} characters`],
  TRUNKLINE_MASTER_KEY: [masterKey.optional(), '32 bytes as 64 hex digits or as base64'],
  DATA_DIR: [text.default('./data'), 'the path of a folder'],
  DATABASE_URL: [databaseUrl.optional(), 'a URL such as postgres://user:password@host:5432/database'],
  RETENTION_DAYS: [days.optional(), 'a whole number of days from 1 to 36500'],
  DISK_LOW_WATER_MB: [megabytes.prefault(DISK_LOW_WATER_MB_DEFAULT), 'a whole number of MiB'],
  LOG_LEVEL: [
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'one of fatal, error, warn, info, debug, trace, silent',
  ],
  HTTP_BIND: [ip.default('127.0.0.1'), 'an IP address'],
  HTTP_PORT: [port.prefault('8080'), 'a port from 0 to 65535'],
  PUBLIC_URL: [httpUrl.optional(), 'an http or https URL'],
  HTTP_ALLOW_ADDRESSES: [addressRanges.prefault(''), 'IP addresses or CIDR ranges with commas between them'],
  WEB_CALL_ORIGINS: [origins.prefault(''), 'origins such as https://shop.example with commas between them, or *'],
  RATE_LIMIT_PER_MINUTE: [count.prefault(RATE_LIMIT_PER_MINUTE_DEFAULT), 'a whole number from 1'],
  RATE_LIMIT_PER_HOUR: [count.prefault(RATE_LIMIT_PER_HOUR_DEFAULT), 'a whole number from 1'],
  METRICS_BIND: [metricsBind.prefault(METRICS_BIND_DEFAULT), 'address:port, or off'],
  SIP_BIND: [ip.default('127.0.0.1'), 'an IP address'],
  SIP_PORT: [port.prefault('5060'), 'a port from 0 to 65535'],
  SIP_EXTERNAL_ADDRESS: [ip.optional(), 'an IP address'],
  SIP_LOCAL_NETWORKS: [addressRanges.prefault(''), 'IP addresses or CIDR ranges with commas between them'],
  SIP_ALLOW_ADDRESSES: [addressRanges.prefault(''), 'IP addresses or CIDR ranges with commas between them'],
  SIP_TLS_CERT: [text.optional(), 'the path of a PEM file, set together with SIP_TLS_KEY'],
  SIP_TLS_KEY: [text.optional(), 'the path of a PEM file, set together with SIP_TLS_CERT'],
  SIP_TLS_PORT: [port.prefault('5061'), 'a port from 0 to 65535'],
  SIP_TLS_CA: [text.optional(), 'the path of a PEM file'],
  SIP_TLS_VERIFY: [z.stringbool({ truthy: ['true'], falsy: ['false'] }).prefault('true'), 'true or false'],
  SIP_SERVER: [sipServer.optional(), 'host:port of a drachtio server'],
  SIP_SECRET: [text.optional(), 'the secret of SIP_SERVER, set together with it'],
  RING_TIMEOUT_SECONDS: [
    count.refine((value) => value <= 300).prefault(RING_TIMEOUT_SECONDS_DEFAULT),
    'a whole number of seconds from 1 to 300',
  ],
  ORGANIZATION_MAX_CALLS: [count.optional(), 'a whole number of calls from 1'],
  ORGANIZATION_MAX_CALLS_PER_SECOND: [count.optional(), 'a whole number of calls from 1'],
  ALLOWED_PREFIXES: [prefixes.prefault(''), 'prefixes such as +49,+4930 with commas between them'],
  RTP_BIND: [ip.optional(), 'an IP address'],
  RTP_PORTS: [
    rtpPorts.prefault(RTP_PORTS_DEFAULT),
    'a range such as 20000-29999 that starts at an even port above 1023',
  ],
  ADMISSION_LATENESS_MS: [count.prefault(ADMISSION_LATENESS_MS_DEFAULT), 'a whole number of ms from 1'],
  TAPE_DIR: [text.optional(), 'the path of a folder'],
  PRICES_FILE: [text.optional(), 'the path of a file'],
  PHRASE_CACHE_MB: [megabytes.prefault(PHRASE_CACHE_MB_DEFAULT), 'a whole number of MiB; 0 for none'],
  DEFAULT_LLM_PROVIDER: [text.default('openai'), 'the name of a language model provider'],
  DEFAULT_LLM_MODEL: [text.optional(), 'the name of a model of DEFAULT_LLM_PROVIDER'],
  DEFAULT_VOICE_PROVIDER: [text.default('deepgram'), 'the name of a voice provider'],
  DEFAULT_VOICE_NAME: [text.optional(), 'the name of a voice of DEFAULT_VOICE_PROVIDER'],
  DEFAULT_TRANSCRIBER_PROVIDER: [text.default('deepgram'), 'the name of a transcriber provider'],
  DEFAULT_TRANSCRIBER_MODEL: [text.optional(), 'the name of a model'],
} as const;

/** What the adapters say for themselves, checked in the same way. */
const PROVIDER_KINDS = {
  key: [text.optional(), 'a key'],
  base_url: [httpUrl.optional(), 'an http or https URL'],
  text: [text.optional(), 'a word'],
} as const;

export const CONFIGURATION_VARIABLES: readonly string[] = [
  ...Object.keys(VARIABLES),
  ...PROVIDER_VARIABLES.map(({ name }) => name),
];

/** Each of the two is of use only with the other. */
const TOGETHER = [
  ['SIP_SERVER', 'SIP_SECRET'],
  ['SIP_TLS_CERT', 'SIP_TLS_KEY'],
] as const;

type Name = keyof typeof VARIABLES;
type Values = { [N in Name]: z.output<(typeof VARIABLES)[N][0]> };

export interface Configuration {
  /** An administrator's key of the default organization. */
  readonly apiKey: string | null;
  readonly masterKey: Uint8Array | null;
  readonly dataDir: string;
  /** Of PostgreSQL; null: SQLite in `dataDir`. It may hold a password. */
  readonly databaseUrl: string | null;
  /** So long after its end what was said on a call is kept; null: until it is deleted by hand. */
  readonly retentionDays: number | null;
  /** Free bytes on the disk of `dataDir` under which recordings and tapes stop. */
  readonly diskLowWaterBytes: number;
  readonly logLevel: Values['LOG_LEVEL'];
  readonly http: {
    readonly bind: string;
    readonly port: number;
    /** Without a slash at its end; null: made from where the server listens. */
    readonly publicUrl: string | null;
    readonly allowAddresses: readonly AddressRange[];
    /** Origins of pages, beside our own, that may open the media of a web call; `*`: all. */
    readonly webCallOrigins: readonly string[];
    readonly rateLimits: RateLimits;
  };
  /** Null: metrics are not served. */
  readonly metricsBind: { readonly host: string; readonly port: number } | null;
  readonly sip: {
    readonly bind: string;
    readonly port: number;
    /** What peers are told instead of `bind`; null: `bind` itself. */
    readonly externalAddress: string | null;
    /** CIDR: peers there are told `bind` all the same. */
    readonly localNetworks: readonly string[];
    readonly tls: TlsSettings;
    /** A drachtio server of the site's own; null: the embedded one. */
    readonly server: { readonly host: string; readonly port: number; readonly secret: string } | null;
    /** SIP hosts of the operator's own, which calls may be bridged to beside the trunks. */
    readonly allowAddresses: readonly AddressRange[];
    readonly ringTimeoutMs: number;
    /** Of the calls that this node places for one organization; null: no bound. */
    readonly organizationLimits: {
      readonly maxConcurrentCalls: number | null;
      readonly maxCallsPerSecond: number | null;
    };
    /** What numbers that are dialled may begin with; none: everything outside the premium ranges. */
    readonly allowedPrefixes: readonly string[];
  };
  readonly rtp: {
    readonly bind: string;
    readonly ports: { readonly first: number; readonly last: number };
    /** Past it, packets being sent so late, new calls are refused. */
    readonly admissionLatenessMs: number;
  };
  /** Keys, base URLs and the rest of all providers, by variable; those that are not set are absent. */
  readonly providers: ProviderSettings;
  /** A recorded call whose provider answers the provider `tape` gives; null: there is no such provider. */
  readonly tapeDir: string | null;
  /** What the operator pays providers and trunks; null: no price is known. */
  readonly pricesFile: string | null;
  /** Of the texts that are kept spoken; 0: none are. */
  readonly phraseCacheBytes: number;
  readonly agentDefaults: AgentDefaults;
}

/** Requests of one API key in each window. */
export interface RateLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

/** What an agent gets that says nothing of its own. */
export interface AgentDefaults {
  readonly llm: z.output<typeof llmSchema>;
  readonly voice: z.output<typeof voiceSchema>;
  readonly transcriber: z.output<typeof transcriberSchema>;
}

export interface ConfigurationProblem {
  readonly variable: string;
  readonly expected: string;
}

/** Names every variable that is wrong and what it must hold, never the value that it has. */
export class ConfigurationError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(({ variable, expected }) => `${variable}: expected ${expected}`).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** Reads the environment; a variable that is empty counts as not set. Throws a `ConfigurationError`. */
export function loadConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const names = Object.keys(VARIABLES).filter((name): name is Name => name in VARIABLES);
  const problems: ConfigurationProblem[] = [];
  const read = <N extends Name>(name: N): unknown => {
    const [schema, expected] = VARIABLES[name];
    const given = environment[name];
    const result = schema.safeParse(given === '' ? undefined : given);
    if (!result.success) problems.push({ variable: name, expected });
    return result.data;
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
    if (values[name] === undefined) problems.push({ variable: name, expected: VARIABLES[name][1] });
  }
  const providers: Record<string, string> = {};
  for (const { kind, name } of PROVIDER_VARIABLES) {
    const [schema, expected] = PROVIDER_KINDS[kind];
    const result = schema.safeParse(environment[name] === '' ? undefined : environment[name]);
    if (!result.success) problems.push({ variable: name, expected });
    else if (result.data !== undefined) providers[name] = result.data;
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return arranged(values, providers);
}

function arranged(values: Values, providers: ProviderSettings): Configuration {
  const { SIP_SERVER: server, SIP_SECRET: secret, SIP_TLS_CERT: certificatePath, SIP_TLS_KEY: keyPath } = values;
  const hasCertificate = certificatePath !== undefined && keyPath !== undefined;
  return {
    apiKey: values.TRUNKLINE_API_KEY ?? null,
    masterKey: values.TRUNKLINE_MASTER_KEY ?? null,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL ?? null,
    retentionDays: values.RETENTION_DAYS ?? null,
    diskLowWaterBytes: values.DISK_LOW_WATER_MB * 1024 * 1024,
    logLevel: values.LOG_LEVEL,
    http: {
      bind: values.HTTP_BIND,
      port: values.HTTP_PORT,
      publicUrl: values.PUBLIC_URL ?? null,
      allowAddresses: values.HTTP_ALLOW_ADDRESSES,
      webCallOrigins: values.WEB_CALL_ORIGINS,
      rateLimits: { perMinute: values.RATE_LIMIT_PER_MINUTE, perHour: values.RATE_LIMIT_PER_HOUR },
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
      ringTimeoutMs: values.RING_TIMEOUT_SECONDS * 1_000,
      organizationLimits: {
        maxConcurrentCalls: values.ORGANIZATION_MAX_CALLS ?? null,
        maxCallsPerSecond: values.ORGANIZATION_MAX_CALLS_PER_SECOND ?? null,
      },
      allowedPrefixes: values.ALLOWED_PREFIXES,
    },
    rtp: {
      bind: values.RTP_BIND ?? values.SIP_BIND,
      ports: values.RTP_PORTS,
      admissionLatenessMs: values.ADMISSION_LATENESS_MS,
    },
    providers,
    tapeDir: values.TAPE_DIR ?? null,
    pricesFile: values.PRICES_FILE ?? null,
    phraseCacheBytes: values.PHRASE_CACHE_MB * 1024 * 1024,
    agentDefaults: {
      llm: llmSchema.parse({ provider: values.DEFAULT_LLM_PROVIDER, model: values.DEFAULT_LLM_MODEL }),
      voice: voiceSchema.parse({ provider: values.DEFAULT_VOICE_PROVIDER, name: values.DEFAULT_VOICE_NAME }),
      transcriber: transcriberSchema.parse({
        provider: values.DEFAULT_TRANSCRIBER_PROVIDER,
        model: values.DEFAULT_TRANSCRIBER_MODEL,
      }),
    },
  };
}

import { z } from 'zod';
import { httpUrl, text } from './variable-schemas.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** Traces are sent with the endpoint alone. Metrics and logs have other outlets, so they are sent where they are asked for. */
const EXPORTERS = ['none', 'otlp'] as const;
/** The values of the Python and the JavaScript instrumentations; spans are where we put content. */
const CONTENT_MODES = ['true', 'false', 'no_content', 'span_only', 'event_only', 'span_and_event'] as const;

/** `name=value` pairs, percent-encoded (W3C Baggage), as OpenTelemetry's variables hold them. */
const pairs = z
  .string()
  .transform((value) => value.split(',').filter((pair) => pair.trim() !== ''))
  .refine((given) => given.every((pair) => /^[^=]+=/.test(pair)))
  .transform((given) => Object.fromEntries(given.map((pair) => split(pair))));

/** The variables of OpenTelemetry that the service knows (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: [httpUrl.optional(), 'an http or https URL such as http://127.0.0.1:4318'],
  OTEL_EXPORTER_OTLP_HEADERS: [pairs.prefault(''), 'comma-separated name=value pairs'],
  OTEL_SERVICE_NAME: [text.default('trunkline'), 'a non-empty text'],
  OTEL_RESOURCE_ATTRIBUTES: [pairs.prefault(''), 'comma-separated name=value pairs'],
  OTEL_METRICS_EXPORTER: [z.enum(EXPORTERS).default('none'), 'none or otlp'],
  OTEL_LOGS_EXPORTER: [z.enum(EXPORTERS).default('none'), 'none or otlp'],
  OTEL_TRACES_SAMPLER: [z.enum(SAMPLERS).default('parentbased_always_on'), `one of ${SAMPLERS.join(', ')}`],
  OTEL_TRACES_SAMPLER_ARG: [
    z
      .string()
      .regex(/^(?:0|1|[01]?\.\d{1,9})$/)
      .transform(Number)
      .refine((ratio) => ratio <= 1)
      .prefault('1'),
    'a number from 0 to 1',
  ],
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: [
    z.string().toLowerCase().pipe(z.enum(CONTENT_MODES)).prefault('false'),
    'true or false, or one of NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT',
  ],
} as const;

type Values = { [N in keyof typeof TELEMETRY_VARIABLES]: z.output<(typeof TELEMETRY_VARIABLES)[N][0]> };

/** The destinations of traces, metrics and logs, and their content. */
export interface TelemetrySettings {
  /** URL of the collector for traces. */
  readonly tracesUrl: string;
  readonly metricsUrl: string;
  readonly logsUrl: string;
  readonly sendsMetrics: boolean;
  readonly sendsLogs: boolean;
  /** Headers of each request; they may contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly sampler: Values['OTEL_TRACES_SAMPLER'];
  /** Share of the traces for a sampler by ratio, 0 to 1. */
  readonly samplerRatio: number;
  /** Whether spans hold what was said, and the arguments and results of tools. */
  readonly capturesContent: boolean;
}

/** Null without an endpoint: no telemetry. */
export function telemetrySettings(values: Values): TelemetrySettings | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return null;
  return {
    tracesUrl: `${endpoint}/v1/traces`,
    metricsUrl: `${endpoint}/v1/metrics`,
    logsUrl: `${endpoint}/v1/logs`,
    sendsMetrics: values.OTEL_METRICS_EXPORTER === 'otlp',
    sendsLogs: values.OTEL_LOGS_EXPORTER === 'otlp',
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: values.OTEL_SERVICE_NAME,
    resourceAttributes: values.OTEL_RESOURCE_ATTRIBUTES,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    capturesContent: ['true', 'span_only', 'span_and_event'].includes(
      values.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
    ),
  };
}

function split(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

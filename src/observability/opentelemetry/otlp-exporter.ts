import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import type { IExporterMetricsHelper, ISerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { TelemetrySettings } from '../../configuration/telemetry-settings.ts';
import type { TraceContext } from './trace-context.ts';

/** A request with its retries, ms: the default of OTEL_EXPORTER_OTLP_TIMEOUT. */
export const EXPORT_TIMEOUT_MS = 10_000;
/** How long a stop waits for the last request, ms. */
export const STOP_TIMEOUT_MS = 3_000;
/** Shortest time between two log lines about the collector, ms. */
export const LOG_GAP_MS = 60_000;
export const SCOPE = { name: 'trunkline' } as const;

/** The service, as the collector sees it. */
export function otlpResource(
  { resourceAttributes, serviceName }: Pick<TelemetrySettings, 'resourceAttributes' | 'serviceName'>,
  nodeId: string | null,
): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName,
      ...(nodeId !== null && { 'service.instance.id': nodeId }),
      ...resourceAttributes,
    }),
  );
}

export function spanContext({ isSampled, spanId, traceId }: TraceContext, isRemote: boolean): SpanContext {
  return { traceId, spanId, isRemote, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

/** One signal of OpenTelemetry: how it is written, and the name of its exporter. */
export interface OtlpSignal<T, R> {
  readonly name: 'LOGS' | 'METRICS';
  readonly path: string;
  readonly serializer: ISerializer<T, R>;
  readonly helper: IExporterMetricsHelper<T>;
}

/** The exporter of a signal: OTLP over HTTP with protobuf. It is built from the packages that the trace exporter uses. */
export function otlpExporter<T, R>(
  { helper, name, path, serializer }: OtlpSignal<T, R>,
  url: string,
  headers: TelemetrySettings['headers'],
): OTLPExporterBase<T> {
  const options = { url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS };
  const http = convertLegacyHttpOptions(options, name, path, { 'Content-Type': 'application/x-protobuf' });
  const type = `otlp_http_${name === 'LOGS' ? 'log' : 'metric'}_exporter`;
  return new OTLPExporterBase(createOtlpHttpExportDelegate(http, serializer, type, helper, undefined));
}

/** Reports the items that a collector did not accept, once a minute with the sum since the last report. */
export class LossReports {
  readonly #report: (lost: number, reason: string) => void;
  readonly #nowMs: () => number;
  #lost = 0;
  #nextReportMs = Number.NEGATIVE_INFINITY;

  constructor(report: (lost: number, reason: string) => void, nowMs: () => number) {
    this.#report = report;
    this.#nowMs = nowMs;
  }

  add(lost: number, reason: string): void {
    this.#lost += lost;
    if (this.#nowMs() < this.#nextReportMs) return;
    this.#nextReportMs = this.#nowMs() + LOG_GAP_MS;
    this.#report(this.#lost, reason);
    this.#lost = 0;
  }
}

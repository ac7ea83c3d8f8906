import {
  type HrTime,
  type Attributes as OtelAttributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../../configuration/telemetry-settings.ts';
import type { Log } from '../../log/log.ts';
import { EXPORT_TIMEOUT_MS, LossReports, otlpResource, SCOPE, STOP_TIMEOUT_MS, spanContext } from './otlp-exporter.ts';
import type { TraceContext } from './trace-context.ts';
import type { TraceSpan } from './trace-span.ts';

/** Spans that wait for the collector: about 8 MiB. Further spans are dropped, and the log says how many. */
export const QUEUE_SPANS_MAX = 8_192;
/** Spans of one request, the default of the specification (OTEL_BSP_MAX_EXPORT_BATCH_SIZE). */
export const BATCH_SPANS = 512;
/** Wait for more spans before a request, the default of the specification (OTEL_BSP_SCHEDULE_DELAY), ms. */
const BATCH_DELAY_MS = 5_000;
/** Longer than a request with its retries, ms: one is under way at a time. */
const BATCH_TIMEOUT_MS = 30_000;
const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** The receiver of finished spans. No method throws or waits. */
export interface TraceSink {
  /** Whether the trace is written: the sampler decides by its id and by its parent, the same on each node. */
  isSampled(traceId: string, parent: TraceContext | null): boolean;
  export(traceId: string, spans: readonly TraceSpan[]): void;
  /** Sends the waiting spans, for a few seconds at most. */
  stop(): Promise<void>;
}

export interface OtlpTracesOptions {
  readonly settings: TelemetrySettings;
  readonly nodeId: string | null;
  readonly log: Pick<Log, 'warn'>;
  readonly nowMs: () => number;
}

/** Sends spans to a collector by OTLP over HTTP. */
export function createOtlpTraces({ log, nodeId, nowMs, settings }: OtlpTracesOptions): TraceSink {
  const sampler = samplerOf(settings);
  const resource = otlpResource(settings, nodeId);
  const exporter = new OTLPTraceExporter({
    url: settings.tracesUrl,
    headers: { ...settings.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const reports = new ExportReports(log, nowMs);
  const processor = new BatchSpanProcessor({
    exporter: reports.of(exporter),
    maxQueueSize: QUEUE_SPANS_MAX,
    maxExportBatchSize: BATCH_SPANS,
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: BATCH_TIMEOUT_MS,
  });
  return {
    isSampled: (traceId, parent) => {
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext(parent, true));
      const { decision } = sampler.shouldSample(context, traceId, 'call', SpanKind.SERVER, {}, []);
      return decision === SamplingDecision.RECORD_AND_SAMPLED;
    },
    export: (traceId, spans) => {
      const fitting = reports.admit(spans);
      for (const span of fitting) processor.onEnd(readableSpan(traceId, span, resource));
    },
    stop: async () => {
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, STOP_TIMEOUT_MS);
      await Promise.race([processor.shutdown().catch(() => undefined), timeout.promise]);
      clearTimeout(timer);
    },
  };
}

/** Counts the spans that wait, and reports those that are lost. */
class ExportReports {
  readonly #losses: LossReports;
  #waiting = 0;

  constructor(log: Pick<Log, 'warn'>, nowMs: () => number) {
    this.#losses = new LossReports((spans, reason) => log.warn({ reason, spans }, 'trace export failed'), nowMs);
  }

  /** The spans for which the queue has room. */
  admit(spans: readonly TraceSpan[]): readonly TraceSpan[] {
    const fitting = spans.slice(0, QUEUE_SPANS_MAX - this.#waiting);
    this.#waiting += fitting.length;
    if (fitting.length < spans.length) this.#losses.add(spans.length - fitting.length, 'the queue is full');
    return fitting;
  }

  of(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => {
        this.#waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (result.code !== 0) this.#losses.add(spans.length, result.error?.message ?? 'unknown');
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }
}

/** The samplers of OTEL_TRACES_SAMPLER. */
function samplerOf({ sampler, samplerRatio }: TelemetrySettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerRatio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
  }
}

function readableSpan(traceId: string, span: TraceSpan, resource: Resource): ReadableSpan {
  const { attributes, error, events, fromUs, kind, name, parentId, spanId, toUs } = span;
  const context = spanContext({ traceId, spanId, isSampled: true }, false);
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => context,
    ...(parentId !== null && { parentSpanContext: spanContext({ traceId, spanId: parentId, isSampled: true }, false) }),
    startTime: time(fromUs),
    endTime: time(Math.max(fromUs, toUs)),
    duration: time(Math.max(0, toUs - fromUs)),
    status: { code: error === null ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: error === null ? mutable(attributes) : { ...attributes, 'error.type': error },
    events: events.map(({ atUs, attributes: own, name: eventName }) => ({
      name: eventName,
      time: time(atUs),
      attributes: mutable(own),
    })),
    links: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function mutable(attributes: TraceSpan['attributes']): OtelAttributes {
  return { ...attributes };
}

/** Seconds and ns of µs. */
function time(us: number): HrTime {
  const whole = Math.round(us);
  return [Math.floor(whole / 1_000_000), (whole % 1_000_000) * 1000];
}

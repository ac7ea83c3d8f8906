import { type HrTime, ValueType } from '@opentelemetry/api';
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { TelemetrySettings } from '../../configuration/telemetry-settings.ts';
import type { Log } from '../../log/log.ts';
import type { ReadMetric, ReadSample } from '../metrics/metrics-reader.ts';
import { LossReports, otlpExporter, otlpResource, SCOPE, STOP_TIMEOUT_MS } from './otlp-exporter.ts';

/** The default of the specification (OTEL_METRIC_EXPORT_INTERVAL), ms. */
export const PUSH_INTERVAL_MS = 60_000;
const SIGNAL = {
  name: 'METRICS',
  path: 'v1/metrics',
  serializer: ProtobufMetricsSerializer,
  helper: MetricsExporterMetricsHelper,
} as const;

export interface OtlpMetricsOptions {
  readonly settings: Pick<TelemetrySettings, 'headers' | 'metricsUrl' | 'resourceAttributes' | 'serviceName'>;
  readonly nodeId: string | null;
  readonly read: () => Promise<readonly ReadMetric[]>;
  readonly clock: Pick<Clock, 'after' | 'wallMs'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Sends the metrics that Prometheus reads to a collector, under the same names, as totals since the start. One request at a time: while
 * it lasts, nothing is read and nothing waits. A failed one is left out, since the next one has newer totals. `stop` sends the last
 * totals, and reads nothing any more once it has resolved, a few seconds later at most.
 */
export function startOtlpMetrics({ clock, log, nodeId, read, settings }: OtlpMetricsOptions): {
  stop(): Promise<void>;
} {
  const resource = otlpResource(settings, nodeId);
  const exporter = otlpExporter(SIGNAL, settings.metricsUrl, settings.headers);
  const losses = new LossReports((_, reason) => log.warn({ reason }, 'metrics export failed'), clock.wallMs);
  const startMs = clock.wallMs();
  let phase: 'running' | 'stopping' | 'stopped' = 'running';
  let cancelTimer = (): void => {};
  const push = async (): Promise<void> => {
    const metrics = (await read()).map((metric) => metricData(metric, hrTime(startMs), hrTime(clock.wallMs())));
    const { promise, resolve } = Promise.withResolvers<void>();
    exporter.export({ resource, scopeMetrics: [{ scope: SCOPE, metrics }] }, ({ code, error }) => {
      if (code !== 0) losses.add(1, error?.message ?? 'unknown');
      resolve();
    });
    await promise;
  };
  const pushSafely = () =>
    push().catch((error: unknown) => losses.add(1, error instanceof Error ? error.message : String(error)));
  let pushing: Promise<void> = Promise.resolve();
  const pushLater = (): void => {
    cancelTimer = clock.after(PUSH_INTERVAL_MS, () => {
      pushing = pushSafely().finally(() => {
        if (phase === 'running') pushLater();
      });
    });
  };
  const pushLast = async (): Promise<void> => {
    await pushing;
    if (phase === 'stopping') await pushSafely();
    await exporter.shutdown();
  };
  pushLater();
  return {
    stop: async () => {
      phase = 'stopping';
      cancelTimer();
      await withTimeout(pushLast(), STOP_TIMEOUT_MS, () => undefined, clock);
      phase = 'stopped';
    },
  };
}

function metricData({ help, name, samples, type }: ReadMetric, startTime: HrTime, endTime: HrTime): MetricData {
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <T>(attributes: ReadSample['labels'], value: T) => ({
    startTime,
    endTime,
    attributes: { ...attributes },
    value,
  });
  const points = () => samples.map(({ labels, value }) => point(labels, value));
  switch (type) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histograms(samples).map(({ labels, ...histogram }) => point(labels, histogram)),
      };
  }
}

/** Prometheus counts each bucket with all below it; OTLP counts it alone. */
function histograms(samples: readonly ReadSample[]) {
  const seriesOf = ({ labels: { le: _, ...labels } }: ReadSample) => JSON.stringify(labels);
  return [...Map.groupBy(samples, seriesOf).values()].map((series) => {
    const buckets = series.filter(({ labels }) => labels.le !== undefined);
    const { le: _, ...labels } = series[0]?.labels ?? {};
    const ending = (suffix: string) => series.find(({ name }) => name.endsWith(suffix))?.value ?? 0;
    return {
      labels,
      buckets: {
        boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter((bound) => Number.isFinite(bound)),
        counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
      },
      sum: ending('_sum'),
      count: ending('_count'),
    };
  });
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}

import { type Attributes, type LogRecord, ROOT_CONTEXT, SeverityNumber, trace } from '@opentelemetry/api';
import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { TelemetrySettings } from '../../configuration/telemetry-settings.ts';
import type { Log } from '../../log/log.ts';
import { LossReports, otlpExporter, otlpResource, SCOPE, STOP_TIMEOUT_MS, spanContext } from './otlp-exporter.ts';
import type { TraceContext } from './trace-context.ts';

/** Lines that wait for the collector: some MiB. Further lines are dropped here, not on standard output. */
export const QUEUE_LINES_MAX = 2_048;
/** Lines of one request, the default of the specification (OTEL_BLRP_MAX_EXPORT_BATCH_SIZE). */
export const BATCH_LINES = 512;
/** Wait for more lines before a request, the default of the specification (OTEL_BLRP_SCHEDULE_DELAY), ms. */
const BATCH_DELAY_MS = 1_000;
/** Longer than a request with its retries, ms: one is under way at a time. */
const BATCH_TIMEOUT_MS = 30_000;
const SIGNAL = {
  name: 'LOGS',
  path: 'v1/logs',
  serializer: ProtobufLogsSerializer,
  helper: LogsExporterMetricsHelper,
} as const;
const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

export interface OtlpLogsOptions {
  readonly settings: Pick<TelemetrySettings, 'headers' | 'logsUrl' | 'resourceAttributes' | 'serviceName'>;
  readonly nodeId: string | null;
  /** The first span of a call; null if it is not known any more. */
  readonly contextOf: (callId: string) => TraceContext | null;
  readonly log: Pick<Log, 'warn'>;
  readonly nowMs: () => number;
}

/** The receiver of log lines besides standard output. No method throws or waits. */
export interface LogSink {
  /** @param record a line of the log, masked, as an object */
  export(record: unknown): void;
  /** Sends the waiting lines, for a few seconds at most. */
  stop(): Promise<void>;
}

/** Sends the lines of the log to a collector, each with the trace and the id of its call. */
export function createOtlpLogs({ contextOf, log, nodeId, nowMs, settings }: OtlpLogsOptions): LogSink {
  const exporter = otlpExporter(SIGNAL, settings.logsUrl, settings.headers);
  const losses = new LossReports((lines, reason) => log.warn({ reason, lines }, 'log export failed'), nowMs);
  let waiting = 0;
  const processor = new BatchLogRecordProcessor({
    exporter: {
      export: (records, done) => {
        waiting -= records.length;
        exporter.export(records, (result) => {
          if (result.code !== 0) losses.add(records.length, result.error?.message ?? 'unknown');
          done(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: QUEUE_LINES_MAX,
    maxExportBatchSize: BATCH_LINES,
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: BATCH_TIMEOUT_MS,
  });
  const provider = new LoggerProvider({ resource: otlpResource(settings, nodeId), processors: [processor] });
  const logger = provider.getLogger(SCOPE.name);
  return {
    export: (record) => {
      if (typeof record !== 'object' || record === null) return;
      if (waiting >= QUEUE_LINES_MAX) {
        losses.add(1, 'the queue is full');
        return;
      }
      waiting += 1;
      logger.emit(logRecord(record, contextOf));
    },
    stop: () =>
      withTimeout(
        provider.shutdown().catch(() => undefined),
        STOP_TIMEOUT_MS,
        () => undefined,
      ),
  };
}

function logRecord(record: object, contextOf: OtlpLogsOptions['contextOf']): LogRecord {
  const { level, msg, time, ...fields } = record as { level?: unknown; msg?: unknown; time?: unknown };
  const { call_id: callId } = fields as { call_id?: unknown };
  const context = typeof callId === 'string' ? contextOf(callId) : null;
  return {
    timestamp: new Date(String(time)),
    severityText: String(level),
    severityNumber: SEVERITIES[String(level)] ?? SeverityNumber.UNSPECIFIED,
    body: String(msg),
    attributes: attributesOf(fields),
    context: context === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext(context, false)),
  };
}

/** `call_id` has the name that the spans of the call use. */
function attributesOf(fields: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
    attributes[name === 'call_id' ? 'trunkline.call.id' : name] = isScalar ? value : JSON.stringify(value);
  }
  return attributes;
}

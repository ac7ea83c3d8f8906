import type { LogRecords } from '../../log/log-records.ts';
import { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import type { SipTraces } from '../../observability/traces/sip-traces.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { Storage } from './storage.ts';

/**
 * The traces of calls, and the log beside them. Null without OTEL_EXPORTER_OTLP_ENDPOINT: then nothing of OpenTelemetry is loaded.
 *
 * @param records the lines of the log, for OTEL_LOGS_EXPORTER
 */
export async function startTracing(
  { clock, configuration, lifecycle, log }: PartContext,
  { node, repositories }: Pick<Storage, 'node' | 'repositories'>,
  sipTraces: Pick<SipTraces, 'of'>,
  records: LogRecords | undefined,
): Promise<CallTracing | null> {
  const settings = configuration.telemetry;
  const started = await lifecycle.start(
    'traces',
    async () => {
      if (settings === null) return null;
      const { createOtlpTraces } = await import('../../observability/opentelemetry/otlp-traces.ts');
      const common = { settings, nodeId: node.id, log, nowMs: clock.wallMs };
      const tracing = new CallTracing({
        sink: createOtlpTraces(common),
        repositories,
        legsOf: (callId) => sipTraces.of(callId),
        capturesContent: settings.capturesContent,
        log,
        clock,
      });
      if (!settings.sendsLogs || records === undefined) return { tracing, logs: null };
      const { createOtlpLogs } = await import('../../observability/opentelemetry/otlp-logs.ts');
      const logs = createOtlpLogs({ ...common, contextOf: (callId) => tracing.knownContext(callId) });
      records.readWith(logs.export);
      return { tracing, logs };
    },
    async (parts) => {
      await parts?.tracing.stop();
      records?.readWith(null);
      await parts?.logs?.stop();
    },
  );
  return started?.tracing ?? null;
}

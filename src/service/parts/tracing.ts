import { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import type { SipTraces } from '../../observability/traces/sip-traces.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { Storage } from './storage.ts';

/** The traces of calls. Null without OTEL_EXPORTER_OTLP_ENDPOINT: then nothing of OpenTelemetry is loaded. */
export function startTracing(
  { clock, configuration, lifecycle, log }: PartContext,
  { node, repositories }: Pick<Storage, 'node' | 'repositories'>,
  sipTraces: Pick<SipTraces, 'of'>,
): Promise<CallTracing | null> {
  const settings = configuration.telemetry;
  return lifecycle.start(
    'traces',
    async () => {
      if (settings === null) return null;
      const { createOtlpTraces } = await import('../../observability/opentelemetry/otlp-traces.ts');
      return new CallTracing({
        sink: createOtlpTraces({ settings, nodeId: node.id, log, nowMs: clock.wallMs }),
        repositories,
        legsOf: (callId) => sipTraces.of(callId),
        capturesContent: settings.capturesContent,
        log,
        clock,
      });
    },
    (tracing) => tracing?.stop(),
  );
}

import type { TraceKind } from '../../cluster/node.ts';
import type { CallTraces, TracedCall } from '../../observability/traces/call-traces.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { RouteContext } from '../context/route-context.ts';
import { ApiError } from '../errors/api-error.ts';

export const NODE_UNAVAILABLE = 'The node of the call does not respond: retry';
export const RETRY_AFTER_SECONDS = 5;

/** The trace of a call that this node has in memory; null without one. A started capture has no bytes, a deletion null. */
export function traceBytes(traces: CallTraces, call: TracedCall, trace: TraceKind): Uint8Array | null {
  switch (trace) {
    case 'ladder': {
      const ladder = traces.ladder(call);
      return ladder === null ? null : Buffer.from(ladder);
    }
    case 'capture':
      return traces.capture(call.id) ? new Uint8Array(0) : null;
    case 'pcap':
      return traces.pcap(call);
    case 'forget':
      traces.forget(call.id);
      return null;
  }
}

/** The trace of a call on any node; null without one. Throws an `ApiError` if the node of the call does not answer. */
export async function traceOfCall(
  { traceElsewhere, traces }: Pick<RouteContext, 'traces' | 'traceElsewhere'>,
  call: CallRecord,
  trace: TraceKind,
): Promise<Uint8Array | null> {
  const body = traceBytes(traces, call, trace) ?? (await traceElsewhere(call, trace));
  if (body !== 'not_taken') return body;
  throw new ApiError('unavailable', { message: NODE_UNAVAILABLE, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

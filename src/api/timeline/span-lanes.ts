import type { CallSpan, NetworkSample, SpanOf, SpanType } from '../../../engine/timeline/call-span.ts';
import { WAIT_TYPES } from '../schemas/timeline.ts';
import type { Axis } from './axis.ts';

type WaitType = (typeof WAIT_TYPES)[number];
const WAITS: ReadonlySet<SpanType> = new Set(WAIT_TYPES);
const KINDS = { transcriber: 'transcriber', language_model: 'llm', voice: 'voice' } as const;

/** The lanes that come from the spans of a call. */
export function spanLanes(spans: readonly CallSpan[], axis: Axis) {
  const inOrder = spans.toSorted((a, b) => a.fromUs - b.fromUs);
  return {
    user_voice: intervals(inOrder, 'voice_activity', axis),
    agent_voice: intervals(inOrder, 'agent_speech', axis),
    provider_failures: inOrder.flatMap((span) => (span.type === 'provider_failure' ? [failure(span, axis)] : [])),
    waits: inOrder.flatMap((span) => (isWait(span) ? [wait(span, axis)] : [])),
    network: inOrder.flatMap((span) => (span.type === 'network' ? [network(span, axis)] : [])),
  };
}

function intervals(spans: readonly CallSpan[], type: SpanType, axis: Axis) {
  return spans.filter((span) => span.type === type).map((span) => interval(span, axis));
}

function interval({ fromUs, toUs }: CallSpan, axis: Axis) {
  return { start_ms: axis(fromUs), end_ms: axis(toUs) };
}

function failure({ error, fromUs, kind, next, provider }: SpanOf<'provider_failure'>, axis: Axis) {
  return { start_ms: axis(fromUs), kind: KINDS[kind], provider, fallback: next, error };
}

function isWait(span: CallSpan): span is SpanOf<WaitType> {
  return WAITS.has(span.type);
}

function wait(span: SpanOf<WaitType>, axis: Axis) {
  const at = (us: number | null) => (us === null ? null : axis(us));
  return {
    ...interval(span, axis),
    type: span.type,
    first_token_ms: span.type === 'model' ? at(span.firstTokenUs) : null,
    first_text_ms: span.type === 'model' ? at(span.firstTextUs) : null,
    error: 'error' in span ? span.error : null,
  };
}

function network(span: SpanOf<'network'>, axis: Axis) {
  const { inbound, outbound, roundTripMs } = span;
  return {
    ...interval(span, axis),
    round_trip_ms: roundTripMs,
    inbound: direction(inbound),
    outbound: direction(outbound),
  };
}

function direction({ jitterMs, lost, mos, packets }: NetworkSample) {
  return { packets, lost, jitter_ms: jitterMs, mos };
}

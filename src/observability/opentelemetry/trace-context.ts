import { createHash } from 'node:crypto';

/** A span as others name it in `traceparent` (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** The call of a trace. `traceparent`: of the INVITE or the API's request that began it, null without one. */
export interface TraceableCall {
  readonly id: string;
  readonly traceparent: string | null;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_ID = /^0+$/;
/** Longer values are no `traceparent` of any version; it has 55 characters today. */
const LENGTH_MAX = 256;

/** The context that a header names; null if it is missing or not valid. A later version is read as far as it is known (§4.3). */
export function readTraceparent(header: string | readonly string[] | null | undefined): TraceContext | null {
  if (typeof header !== 'string' || header.length > LENGTH_MAX) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (NO_ID.test(traceId) || NO_ID.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparent({ isSampled, spanId, traceId }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The header as it is stored with a call: in the one form of `traceparent`; null if it is not valid. */
export function storedTraceparent(header: string | readonly string[] | null | undefined): string | null {
  const context = readTraceparent(header);
  return context === null ? null : traceparent(context);
}

/**
 * The ids of a call's trace and of its first span. They follow from the call, so that each node that sends a request of
 * the call names the same span, before the trace is written.
 */
export function idsOf({ id, traceparent: parent }: TraceableCall): Pick<TraceContext, 'traceId' | 'spanId'> {
  return {
    traceId: readTraceparent(parent)?.traceId ?? digest(`trace ${id}`).slice(0, 32),
    spanId: digest(`call ${id}`).slice(0, 16),
  };
}

/** The id of a span below the first span of a call. `key`: identifies the span within its call. */
export function spanIdBelow(callSpanId: string, key: string): string {
  return digest(`${callSpanId} ${key}`).slice(0, 16);
}

/** The context of a tool call of the call with this context. */
export function toolContext(call: TraceContext, toolCallId: string): TraceContext {
  return { ...call, spanId: spanIdBelow(call.spanId, `tool ${toolCallId}`) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

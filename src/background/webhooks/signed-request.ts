import { type TraceContext, traceparent } from '../../observability/opentelemetry/trace-context.ts';
import type { GuardedRequest } from '../../outgoing-http/guarded-http.ts';
import { webhookHeaders } from '../../outgoing-http/webhook-signature.ts';
import { callEventBody } from '../../storage/events/call-event-repository.ts';
import type { DueDelivery } from '../../storage/events/outbox-repository.ts';

/** Response timeout. Standard Webhooks recommends 15 to 30 s. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Bytes of a response that the delivery log keeps. */
const RESPONSE_BYTES_MAX = 2_000;

/**
 * The request of one attempt. The body is the same in every attempt; timestamp and signatures differ.
 * @param trace the span of the attempt; null without traces
 * @throws {Error} if a secret is not base64
 */
export function signedRequest(
  event: DueDelivery,
  secrets: readonly string[],
  nowMs: number,
  trace: TraceContext | null,
): GuardedRequest {
  const body = callEventBody(event);
  return {
    url: event.url,
    method: 'POST',
    headers: {
      ...webhookHeaders({ id: event.id, body }, secrets, nowMs),
      ...(trace !== null && { traceparent: traceparent(trace) }),
    },
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
  };
}

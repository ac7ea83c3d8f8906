import { Webhook } from 'standardwebhooks';
import type { GuardedRequest } from '../../outgoing-http/guarded-http.ts';
import { callEventBody } from '../../storage/events/call-event-repository.ts';
import type { DueDelivery } from '../../storage/events/outbox-repository.ts';

/** Response timeout. Standard Webhooks recommends 15 to 30 s. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Bytes of a response that the delivery log keeps. */
const ANSWER_BYTES_MAX = 2_000;

/**
 * The request of one attempt. The body is the same in every attempt; timestamp and signatures differ.
 * Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @throws {Error} if a secret is not base64
 */
export function signedRequest(event: DueDelivery, secrets: readonly string[], nowMs: number): GuardedRequest {
  const body = callEventBody(event);
  const time = new Date(nowMs);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(event.id, time, body));
  return {
    url: event.url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'trunkline',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
    },
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  };
}

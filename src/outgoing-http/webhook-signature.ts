import { Webhook } from 'standardwebhooks';

/** A JSON body for a webhook receiver. */
export interface WebhookMessage {
  /** The same in every attempt. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/**
 * The headers of one attempt, signed with each secret. Without a secret the request is unsigned.
 * Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @throws {Error} if a secret is not base64
 */
export function webhookHeaders(
  { body, id }: WebhookMessage,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const time = new Date(nowMs);
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, time, body));
  return {
    'content-type': 'application/json',
    'user-agent': 'trunkline',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

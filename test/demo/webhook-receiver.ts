import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  sequence: z.number(),
  call_id: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type WebhookEvent = z.output<typeof eventSchema>;

export interface WebhookReceiver {
  readonly url: string;
  /** Verified events in order of arrival. */
  readonly events: readonly WebhookEvent[];
  /** Requests with an invalid signature. */
  readonly forged: () => number;
  /** Resolves with the first event of this type, past or future. */
  event(type: string): Promise<WebhookEvent>;
  close(): Promise<void>;
}

/** A typical customer receiver: verifies each signature (Standard Webhooks) and answers 204. */
export async function startWebhookReceiver(
  secret: () => string | null,
  onEvent: (event: WebhookEvent) => void = () => {},
): Promise<WebhookReceiver> {
  const events: WebhookEvent[] = [];
  const waiting: { type: string; resolve: (event: WebhookEvent) => void }[] = [];
  let forged = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const key = secret();
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      try {
        const payload = key === null ? JSON.parse(body) : new Webhook(key).verify(body, headers);
        const event = eventSchema.parse(payload);
        response.writeHead(204).end();
        if (events.some(({ id }) => id === event.id)) return;
        events.push(event);
        onEvent(event);
        for (const waiter of waiting) if (waiter.type === event.type) waiter.resolve(event);
      } catch {
        forged += 1;
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    events,
    forged: () => forged,
    event: (type) =>
      new Promise((resolve) => {
        const known = events.find((event) => event.type === type);
        if (known !== undefined) resolve(known);
        else waiting.push({ type, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

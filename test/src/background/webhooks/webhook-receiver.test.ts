import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../../base/network/address-policy.ts';
import { parseAddressRanges } from '../../../../base/network/address-range.ts';
import { createStallSafeClock } from '../../../../base/time/stall-safe-clock.ts';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import { GuardedHttp } from '../../../../src/outgoing-http/guarded-http.ts';
import { LoopbackServer } from '../../../providers/loopback-server.ts';
import { FakeOutbox } from './fake-outbox.ts';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly response: ServerResponse;
}

let receiver: LoopbackServer;
let outbox: FakeOutbox;
let http: GuardedHttp;
let deliverer: WebhookDeliverer;
let onReceived: (received: Received) => void;

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

beforeEach(async () => {
  receiver = await LoopbackServer.listen((request, response) => {
    read(request).then(
      (body) =>
        onReceived({
          headers: Object.fromEntries(Object.entries(request.headers).map(([n, v]) => [n, String(v)])),
          body,
          response,
        }),
      () => response.destroy(),
    );
  });
  outbox = new FakeOutbox();
  const policy = new AddressPolicy({
    allow: parseAddressRanges('127.0.0.1'),
    ownListeners: () => [],
    localAddresses: () => [],
  });
  http = new GuardedHttp(policy, async () => ['10.0.0.1']);
  deliverer = new WebhookDeliverer({
    outbox,
    receivers: outbox,
    http,
    clock: createStallSafeClock(),
    log: { warn: () => {} },
  });
});

afterEach(async () => {
  await http.close();
  await deliverer.stop();
  await receiver.close();
});

function received(): Promise<Received> {
  return new Promise((resolve) => {
    onReceived = resolve;
  });
}

/** Resolves once the attempt of the event is stored. */
function settled(eventId: string): Promise<void> {
  return new Promise((resolve) => {
    const { markDelivered, markFailed } = outbox;
    outbox.markDelivered = async (...parameters) => {
      await markDelivered.apply(outbox, parameters);
      if (parameters[0] === eventId) resolve();
    };
    outbox.markFailed = async (...parameters) => {
      await markFailed.apply(outbox, parameters);
      if (parameters[0] === eventId) resolve();
    };
  });
}

const secret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

describe('a receiver', () => {
  it('verifies the request with the Standard Webhooks library', async () => {
    outbox.secrets = [secret()];
    const event = outbox.add({ callId: 'a', sequence: 1, url: `${receiver.origin}/`, nowMs: Date.now() });
    const request = received();
    const done = settled(event.id);
    deliverer.wake();
    const { headers, body, response } = await request;
    response.end();
    await done;
    expect(new Webhook(outbox.secrets[0] ?? '').verify(body, headers)).toMatchObject({ id: event.id, call_id: 'a' });
    expect(headers['content-type']).toBe('application/json');
    expect(event.status).toBe('delivered');
  });

  it('verifies with both secrets during a rotation, but not with another secret or a changed body', async () => {
    outbox.secrets = [secret(), secret()];
    outbox.add({ callId: 'a', sequence: 1, url: `${receiver.origin}/`, nowMs: Date.now() });
    const request = received();
    const done = settled('a-1');
    deliverer.wake();
    const { headers, body, response } = await request;
    response.end();
    await done;
    for (const valid of outbox.secrets) expect(() => new Webhook(valid).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(secret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(outbox.secrets[0] ?? '').verify(`${body} `, headers)).toThrow('No matching signature');
  });

  it('does not delay others if it hangs, and a broken connection is retried', async () => {
    const hung = outbox.add({
      callId: 'hung',
      sequence: 1,
      agentId: 'hung',
      url: `${receiver.origin}/`,
      nowMs: Date.now(),
    });
    const hanging = received();
    deliverer.wake();
    const { response: pending } = await hanging;
    const event = outbox.add({ callId: 'a', sequence: 1, url: `${receiver.origin}/`, nowMs: Date.now() });
    const request = received();
    const done = settled(event.id);
    deliverer.wake();
    (await request).response.end();
    await done;
    expect([event.status, hung.attempts]).toEqual(['delivered', 0]);
    const failed = settled(hung.id);
    pending.destroy();
    await failed;
    expect(hung).toMatchObject({ status: 'pending', attempts: 1 });
    expect(hung.log[0]?.httpStatus).toBeNull();
  });

  it('gets no request at a disallowed address, and the log names the cause', async () => {
    const event = outbox.add({ callId: 'a', sequence: 1, url: 'http://internal.example/', nowMs: Date.now() });
    const done = settled(event.id);
    deliverer.wake();
    await done;
    expect(event.log[0]?.outcome).toContain('refused');
    expect(event.status).toBe('pending');
  });
});

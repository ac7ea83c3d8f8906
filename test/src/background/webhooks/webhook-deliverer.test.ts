import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import type { GuardedRequest, GuardedResponse } from '../../../../src/outgoing-http/guarded-http.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { FakeOutbox } from './fake-outbox.ts';
import { TestClock } from './test-clock.ts';

interface SentRequest {
  readonly id: string;
  readonly request: GuardedRequest;
  readonly atMs: number;
  answer(status: number, body?: string): void;
  fail(): void;
}

let clock: TestClock;
let outbox: FakeOutbox;
let deliverer: WebhookDeliverer;
let sent: SentRequest[];
let warnings: unknown[];
/** Status of every response; null: the receiver does not respond until the test does. */
let answerAll: number | null;

beforeEach(() => {
  clock = new TestClock();
  outbox = new FakeOutbox();
  sent = [];
  warnings = [];
  answerAll = 200;
  const http = {
    request: (request: GuardedRequest) =>
      new Promise<GuardedResponse>((resolve, reject) => {
        const answer = (status: number, body = ''): void =>
          resolve({ status, contentType: null, body: Buffer.from(body), cutOff: false });
        const fail = (): void => reject(new Error('no answer'));
        sent.push({ id: request.headers['webhook-id'] ?? '', request, atMs: clock.wallMs(), answer, fail });
        if (answerAll !== null) answer(answerAll);
      }),
  };
  deliverer = new WebhookDeliverer({
    outbox,
    receivers: outbox,
    http,
    clock,
    log: { warn: (...line: unknown[]) => warnings.push(line) },
  });
});

afterEach(async () => {
  for (const request of sent) request.answer(200);
  await deliverer.stop();
  expect(clock.timers).toBe(0);
});

function add(callId: string, ...sequences: number[]): void {
  for (const sequence of sequences)
    outbox.add({ callId, sequence, agentId: `agent of ${callId}`, nowMs: clock.wallMs() });
}

const ids = (): string[] => sent.map(({ id }) => id);
const statuses = (): string[] => outbox.events.map(({ status }) => status);

describe('the deliverer', () => {
  it('sends a new event at once, and marks it after the response', async () => {
    answerAll = null;
    add('a', 1);
    deliverer.wake();
    await clock.advance(0);
    expect([ids(), statuses()]).toEqual([['a-1'], ['pending']]);
    await clock.advance(40);
    sent[0]?.answer(204, 'thanks');
    await clock.advance(0);
    expect(statuses()).toEqual(['delivered']);
    expect(outbox.events[0]?.log).toEqual([
      { attemptedMs: clock.wallMs() - 40, durationMs: 40, httpStatus: 204, outcome: 'thanks' },
    ]);
  });

  it('finds an event without a wake-up', async () => {
    deliverer.wake();
    await clock.advance(1_000);
    add('a', 1);
    await clock.advance(30_000);
    expect(statuses()).toEqual(['delivered']);
  });

  it('keeps the order within a call, independently of other calls', async () => {
    answerAll = null;
    add('a', 1, 2, 3);
    add('b', 1);
    deliverer.wake();
    await clock.advance(100);
    expect(ids()).toEqual(['a-1', 'b-1']);
    sent[1]?.answer(200);
    await clock.advance(100);
    expect(ids()).toEqual(['a-1', 'b-1']);
    sent[0]?.answer(200);
    await clock.advance(100);
    expect(ids()).toEqual(['a-1', 'b-1', 'a-2']);
    answerAll = 200;
    sent[2]?.answer(200);
    await clock.advance(100);
    expect(ids()).toEqual(['a-1', 'b-1', 'a-2', 'a-3']);
  });

  it('retries after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, to the millisecond, then keeps the event as failed', async () => {
    answerAll = 500;
    add('a', 1);
    deliverer.wake();
    await clock.advance(3 * 24 * 3_600_000);
    const times = sent.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);
    expect(gaps).toEqual([5, 30, 120, 600, 3_600, 21_600, 86_400]);
    expect(statuses()).toEqual(['failed']);
    expect(outbox.events[0]?.log.map(({ httpStatus }) => httpStatus)).toEqual(Array(8).fill(500));
  });

  it.each([199, 301, 302, 400, 404, 429, 500, 503])('treats status %i as not received', async (status) => {
    answerAll = status;
    add('a', 1);
    deliverer.wake();
    await clock.advance(0);
    expect(outbox.events[0]).toMatchObject({ status: 'pending', attempts: 1 });
  });

  it('sends later events past one that failed three times, and retries it outside the queue', async () => {
    answerAll = 500;
    add('a', 1, 2, 3);
    deliverer.wake();
    await clock.advance(34_999);
    expect(ids()).toEqual(['a-1', 'a-1']);
    await clock.advance(1);
    expect(ids()).toEqual(['a-1', 'a-1', 'a-1']);
    answerAll = 200;
    await clock.advance(200);
    expect(ids().slice(3)).toEqual(['a-2', 'a-3']);
    await clock.advance(120_000);
    expect(ids().slice(5)).toEqual(['a-1']);
    expect(statuses()).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('waits within a call for an event that failed twice', async () => {
    answerAll = 500;
    add('a', 1, 2);
    deliverer.wake();
    await clock.advance(6_000);
    answerAll = 200;
    await clock.advance(28_000);
    expect(ids()).toEqual(['a-1', 'a-1']);
    await clock.advance(1_100);
    expect(ids()).toEqual(['a-1', 'a-1', 'a-1', 'a-2']);
  });

  it('disables the webhook of the agent after a 410 until it is set again', async () => {
    answerAll = 410;
    add('a', 1, 2);
    deliverer.wake();
    await clock.advance(3_600_000);
    expect([ids(), statuses()]).toEqual([['a-1'], ['failed', 'pending']]);
    expect([...outbox.disabledAgents]).toEqual(['agent of a']);
    outbox.disabledAgents.clear();
    answerAll = 200;
    await clock.advance(30_000);
    expect(ids()).toEqual(['a-1', 'a-2']);
  });

  it('does not delay other receivers for an unresponsive one with many events', async () => {
    answerAll = null;
    for (let call = 0; call < 2_000; call += 1) {
      outbox.add({ callId: `hung ${call}`, sequence: 1, agentId: 'hung', nowMs: clock.wallMs() });
    }
    deliverer.wake();
    await clock.advance(100);
    expect(sent).toHaveLength(8);
    add('a', 1);
    deliverer.wake();
    await clock.advance(100);
    expect(ids().at(-1)).toBe('a-1');
    for (const request of sent.slice(0, 8)) request.fail();
    await clock.advance(100);
    // The unresponsive receiver now has only one slot.
    expect(sent).toHaveLength(10);
  });

  it('sends again with all slots to a receiver that responds again', async () => {
    answerAll = null;
    for (let call = 0; call < 20; call += 1) {
      outbox.add({ callId: `c${call}`, sequence: 1, agentId: 'late', nowMs: clock.wallMs() });
    }
    deliverer.wake();
    await clock.advance(100);
    for (const request of sent.slice(0, 8)) request.fail();
    await clock.advance(100);
    expect(sent).toHaveLength(9);
    sent[8]?.answer(200);
    await clock.advance(100);
    expect(sent).toHaveLength(17);
  });

  it('has at most 256 requests in flight, and delivers all events', async () => {
    answerAll = null;
    for (let call = 0; call < 600; call += 1) add(`c${call}`, 1);
    deliverer.wake();
    await clock.advance(500);
    expect(sent).toHaveLength(256);
    answerAll = 200;
    for (const request of sent) request.answer(200);
    await clock.advance(5_000);
    expect(new Set(ids()).size).toBe(600);
    expect(sent).toHaveLength(600);
  });

  it('queries the outbox once for many wake-ups', async () => {
    for (let count = 0; count < 1_000; count += 1) deliverer.wake();
    await clock.advance(49);
    expect(outbox.queries).toBe(1);
    for (let count = 0; count < 1_000; count += 1) deliverer.wake();
    await clock.advance(49);
    expect(outbox.queries).toBe(2);
  });

  it('does not spin while a pending event is not deliverable', async () => {
    add('a', 1);
    outbox.disabledAgents.add('agent of a');
    deliverer.wake();
    await clock.advance(60_000);
    expect(outbox.queries).toBeLessThanOrEqual(62);
    expect(sent).toEqual([]);
  });

  it('continues after database errors without sending the same event repeatedly', async () => {
    answerAll = null;
    add('a', 1);
    deliverer.wake();
    await clock.advance(100);
    outbox.broken = new Error('disk full');
    sent[0]?.answer(200);
    await clock.advance(900);
    expect(sent).toHaveLength(1);
    await clock.advance(10_000);
    expect(sent).toHaveLength(1);
    expect(warnings).not.toEqual([]);
    outbox.broken = null;
    answerAll = 200;
    await clock.advance(2_000);
    expect([ids(), statuses()]).toEqual([['a-1', 'a-1'], ['delivered']]);
  });

  it('does not resend an event that was delivered while the outbox was read', async () => {
    answerAll = null;
    add('a', 1);
    deliverer.wake();
    await clock.advance(100);
    let open = (): void => {};
    outbox.gate = new Promise((resolve) => {
      open = resolve;
    });
    deliverer.wake();
    await clock.advance(100);
    sent[0]?.answer(200);
    await clock.advance(100);
    expect(statuses()).toEqual(['delivered']);
    outbox.gate = null;
    open();
    await clock.advance(60_000);
    expect(ids()).toEqual(['a-1']);
  });

  it('counts no attempt while the secrets cannot be read from the database, and sends the event afterwards', async () => {
    outbox.brokenSecrets = new DatabaseError('unavailable', 'connection lost');
    add('a', 1);
    deliverer.wake();
    await clock.advance(10_000);
    expect([sent, outbox.events[0]?.attempts]).toEqual([[], 0]);
    expect(warnings.length).toBeGreaterThan(1);
    expect(warnings.length).toBeLessThanOrEqual(11);
    outbox.brokenSecrets = null;
    await clock.advance(2_000);
    expect([ids(), statuses()]).toEqual([['a-1'], ['delivered']]);
  });

  it('counts a secret that cannot be decrypted as a failed attempt', async () => {
    outbox.brokenSecrets = new Error('the secret was sealed with another master key');
    add('a', 1);
    deliverer.wake();
    await clock.advance(0);
    expect(outbox.events[0]).toMatchObject({ status: 'pending', attempts: 1 });
  });

  it('counts a secret that cannot sign as a failed attempt', async () => {
    outbox.secrets = ['whsec_'];
    add('a', 1);
    deliverer.wake();
    await clock.advance(0);
    expect(sent).toEqual([]);
    expect(outbox.events[0]).toMatchObject({ status: 'pending', attempts: 1 });
  });

  it('starts nothing after the stop, and waits for requests in flight', async () => {
    answerAll = null;
    add('a', 1, 2);
    deliverer.wake();
    await clock.advance(0);
    let stopped = false;
    const stopping = deliverer.stop().then(() => {
      stopped = true;
    });
    await clock.advance(1_000);
    expect(stopped).toBe(false);
    sent[0]?.answer(200);
    await stopping;
    await clock.advance(60_000);
    expect([ids(), statuses()]).toEqual([['a-1'], ['delivered', 'pending']]);
  });

  it('sends the documented body, identical in every attempt', async () => {
    answerAll = 500;
    add('a', 7);
    deliverer.wake();
    await clock.advance(5_000);
    const [first, second] = sent;
    expect(JSON.parse(first?.request.body ?? '')).toEqual({
      id: 'a-7',
      type: 'event_state_changed',
      created_at: '2026-11-20T12:00:00.000Z',
      sequence: 7,
      organization_id: 'organization',
      agent_id: 'agent of a',
      call_id: 'a',
      data: { from: null, to: 'greeting' },
    });
    expect(second?.request.body).toBe(first?.request.body);
    expect(second?.request.headers['webhook-id']).toBe('a-7');
    expect(first?.request.headers).not.toHaveProperty('webhook-signature');
  });
});

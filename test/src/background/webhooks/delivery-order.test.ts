import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import type { GuardedRequest, GuardedResponse } from '../../../../src/outgoing-http/guarded-http.ts';
import { FakeOutbox } from './fake-outbox.ts';
import { TestClock } from './test-clock.ts';

const CALLS = ['a', 'b', 'c'];
const EVENTS_PER_CALL = 4;
const DAYS_2_MS = 2 * 24 * 3_600_000;

/** Reaction of the receiver to one request. */
const outcome = fc.record({
  status: fc.constantFrom(200, 200, 200, 500, 0),
  afterMs: fc.integer({ min: 0, max: 3_000 }),
});

describe('under any behaviour of receivers', () => {
  it('each event is sent until it is received or failed, never concurrently, and in order within a call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 1, maxLength: 40 }), async (outcomes) => {
        const clock = new TestClock();
        const outbox = new FakeOutbox();
        const inFlight = new Set<string>();
        const received: string[] = [];
        // Collected, because a request that throws counts as a failed attempt.
        const violations: string[] = [];
        let requests = 0;
        const http = {
          request: ({ headers }: GuardedRequest) =>
            new Promise<GuardedResponse>((resolve, reject) => {
              const id = headers['webhook-id'] ?? '';
              const { status, afterMs } = outcomes[requests % outcomes.length] ?? { status: 200, afterMs: 0 };
              requests += 1;
              if (inFlight.has(id)) violations.push(`${id} was sent twice at once`);
              if (received.includes(id)) violations.push(`${id} was sent after it was received`);
              const queued = [...inFlight].filter((other) => other[0] === id[0] && attemptsOf(outbox, other) < 3);
              if (attemptsOf(outbox, id) < 3 && queued.length > 0)
                violations.push(`${id} was sent concurrently with ${queued}`);
              inFlight.add(id);
              clock.after(afterMs, () => {
                inFlight.delete(id);
                if (status === 200) received.push(id);
                if (status === 0) reject(new Error('reset'));
                else resolve({ status, contentType: null, body: new Uint8Array(), cutOff: false });
              });
            }),
        };
        const deliverer = new WebhookDeliverer({ outbox, receivers: outbox, http, clock, log: { warn: () => {} } });
        for (const callId of CALLS) {
          for (let sequence = 1; sequence <= EVENTS_PER_CALL; sequence += 1) {
            outbox.add({ callId, sequence, nowMs: clock.wallMs() });
          }
        }
        deliverer.wake();
        await clock.advance(DAYS_2_MS);
        await deliverer.stop();
        expect(clock.timers).toBe(0);
        expect(violations).toEqual([]);
        expect(requests).toBeGreaterThanOrEqual(CALLS.length * EVENTS_PER_CALL);
        for (const { id, status, attempts } of outbox.events) {
          expect(status).toBe(received.includes(id) ? 'delivered' : 'failed');
          expect(attempts).toBeLessThanOrEqual(8);
        }
        const punctual = outbox.events.filter(({ attempts, status }) => attempts <= 3 && status === 'delivered');
        for (const callId of CALLS) {
          const receivedIds = received.filter((id) =>
            punctual.some((event) => event.id === id && event.callId === callId),
          );
          expect(receivedIds).toEqual([...receivedIds].sort());
        }
      }),
      { numRuns: 25 },
    );
  });
});

function attemptsOf(outbox: FakeOutbox, id: string): number {
  return outbox.events.find((event) => event.id === id)?.attempts ?? 0;
}

import { expect, it } from 'vitest';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import type { GuardedRequest, GuardedResponse } from '../../../../src/outgoing-http/guarded-http.ts';
import { FakeOutbox } from './fake-outbox.ts';
import { TestClock } from './test-clock.ts';

const CALLS = 50;
const EVENTS_PER_CALL = 20;
/** The receiver is up for this time, then down for as long. */
const UP_MS = 7_000;
const ANSWER_MS = 400;
const DAYS_2_MS = 2 * 24 * 3_600_000;

/** Sends a thousand events to a receiver until none is pending. */
async function deliverThousand(isUp: (nowMs: number, id: string) => boolean) {
  const clock = new TestClock();
  const outbox = new FakeOutbox();
  const received: string[] = [];
  let refused = 0;
  const http = {
    request: ({ headers }: GuardedRequest): Promise<GuardedResponse> =>
      new Promise((resolve) => {
        clock.after(ANSWER_MS, () => {
          const id = headers['webhook-id'] ?? '';
          const accepts = isUp(clock.wallMs(), id);
          if (accepts) received.push(id);
          else refused += 1;
          resolve({ status: accepts ? 200 : 503, contentType: null, body: new Uint8Array(), cutOff: false });
        });
      }),
  };
  const deliverer = new WebhookDeliverer({ outbox, receivers: outbox, http, clock, log: { warn: () => {} } });
  for (let sequence = 1; sequence <= EVENTS_PER_CALL; sequence += 1) {
    for (let call = 1; call <= CALLS; call += 1) {
      outbox.add({ callId: `call ${call}`, sequence, agentId: `agent ${call % 5}`, nowMs: clock.wallMs() });
    }
  }
  deliverer.wake();
  await clock.advance(DAYS_2_MS);
  await deliverer.stop();

  expect(outbox.events.filter(({ status }) => status !== 'delivered')).toEqual([]);
  expect(new Set(received).size).toBe(CALLS * EVENTS_PER_CALL);
  expect(received).toHaveLength(CALLS * EVENTS_PER_CALL);
  return { outbox, received, refused };
}

/** Sequence numbers of the received events of a call that `isCounted` selects. */
function sequencesOf(
  received: readonly string[],
  call: number,
  isCounted: (id: string) => boolean = () => true,
): number[] {
  return received.filter((id) => id.startsWith(`call ${call}-`) && isCounted(id)).map((id) => Number(id.split('-')[1]));
}

it('a thousand events reach a receiver that is down half of the time, in order within a call', async () => {
  const { outbox, received, refused } = await deliverThousand((nowMs) => Math.floor(nowMs / UP_MS) % 2 === 0);
  expect(refused).toBeGreaterThan(100);
  // An event that failed three times leaves its queue and may arrive late; all others are in order.
  const punctual = new Set(outbox.events.filter(({ attempts }) => attempts <= 3).map(({ id }) => id));
  expect(punctual.size).toBeGreaterThan(CALLS * EVENTS_PER_CALL * 0.5);
  const late = outbox.events.length - punctual.size;
  for (let call = 1; call <= CALLS; call += 1) {
    const sequences = sequencesOf(received, call, (id) => punctual.has(id));
    expect([call, late, sequences]).toEqual([call, late, sequences.toSorted((a, b) => a - b)]);
  }
});

it('a thousand events reach a receiver that refuses every second request of a call, in order', async () => {
  const requests = new Map<string, number>();
  const { outbox, received, refused } = await deliverThousand((_nowMs, id) => {
    const [call = ''] = id.split('-');
    const count = requests.get(call) ?? 0;
    requests.set(call, count + 1);
    return count % 2 === 1;
  });
  expect(refused).toBe(received.length);
  expect(new Set(outbox.events.map(({ attempts }) => attempts))).toEqual(new Set([2]));
  const inOrder = Array.from({ length: EVENTS_PER_CALL }, (_, index) => index + 1);
  for (let call = 1; call <= CALLS; call += 1) expect(sequencesOf(received, call)).toEqual(inOrder);
});

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../../engine/ports/journal.ts';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository } from '../../../../src/storage/calls/journal-repository.ts';
import { createOutboxRepository } from '../../../../src/storage/events/outbox-repository.ts';
import { newCall, onEachDatabase, START_MS, storeAgent } from '../../storage/temporary-database.ts';

const CALLS = 50;
const EVENTS_PER_CALL = 20;
/** Factor by which the clock of the test runs faster. */
const SPEED_UP = 200;

/** A clock on which a minute takes a third of a second. */
function fastClock() {
  const startedMs = performance.now();
  return {
    nowUs: () => Math.round((performance.now() - startedMs) * SPEED_UP * 1000),
    wallMs: () => Math.round(START_MS + 60_000 + (performance.now() - startedMs) * SPEED_UP),
    after: (delayMs: number, callback: () => void) => {
      const timer = setTimeout(callback, delayMs / SPEED_UP);
      return () => clearTimeout(timer);
    },
  };
}

onEachDatabase((temporaryDatabase) => {
  it('a thousand stored events reach a receiver that refuses every second request of a call, in order', async () => {
    const database = await temporaryDatabase();
    const webhookSubscriptions = ['event_state_changed'] as const;
    const agentId = await storeAgent(database, { webhookUrl: 'https://receiver.example/', webhookSubscriptions });
    const calls = createCallRepository(database);
    const journal = createJournalRepository(database);
    const entries: Exclude<JournalEntry, { readonly type: 'ended' }>[] = Array.from(
      { length: EVENTS_PER_CALL },
      (_, nth) => ({
        type: 'state',
        from: nth === 0 ? null : `state ${nth - 1}`,
        to: `state ${nth}`,
        atUs: nth * 1_000_000,
      }),
    );
    for (let nth = 0; nth < CALLS; nth++) {
      const call = newCall(agentId, { status: 'in_progress' });
      await calls.createCall(call);
      await journal.appendJournal(call.id, { entries, startedWallMs: START_MS });
    }

    const received = new Map<string, string[]>();
    const requests = new Map<string, number>();
    const { promise: allReceived, resolve } = Promise.withResolvers<void>();
    let missing = CALLS * EVENTS_PER_CALL;
    const deliverer = new WebhookDeliverer({
      outbox: createOutboxRepository(database),
      receivers: { signingSecrets: async () => [], disableWebhook: async () => {} },
      http: {
        request: async ({ body }) => {
          const { call_id, data } = JSON.parse(body ?? '');
          const count = requests.get(call_id) ?? 0;
          requests.set(call_id, count + 1);
          const accepts = count % 2 === 1;
          if (accepts) {
            received.set(call_id, [...(received.get(call_id) ?? []), data.to]);
            missing -= 1;
            if (missing === 0) resolve();
          }
          return { status: accepts ? 200 : 503, contentType: null, body: new Uint8Array(), cutOff: false };
        },
      },
      clock: fastClock(),
      log: { warn: () => {} },
    });
    deliverer.wake();
    await allReceived;
    await deliverer.stop();

    const inOrder = entries.map((_, nth) => `state ${nth}`);
    expect([...received.values()]).toEqual(Array.from({ length: CALLS }, () => inOrder));
    expect([...requests.values()]).toEqual(Array.from({ length: CALLS }, () => 2 * EVENTS_PER_CALL));
  });
});

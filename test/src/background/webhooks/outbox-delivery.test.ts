import { expect, it } from 'vitest';
import { createStallSafeClock } from '../../../../base/time/stall-safe-clock.ts';
import type { JournalEntry } from '../../../../engine/ports/journal.ts';
import { eventBodySchema } from '../../../../src/background/webhooks/event-kinds.ts';
import { WebhookDeliverer } from '../../../../src/background/webhooks/webhook-deliverer.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import { createJournalRepository } from '../../../../src/storage/calls/journal-repository.ts';
import { createOutboxRepository } from '../../../../src/storage/events/outbox-repository.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../../../src/storage/events/webhook-event.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';

const SPEECH = { startUs: 1_000_000, endUs: 2_000_000, content: 'Hello.' };
const ENTRIES: readonly Exclude<JournalEntry, { readonly type: 'ended' }>[] = [
  { type: 'state', from: null, to: 'greeting', atUs: 0 },
  { type: 'transcript', entry: { ...SPEECH, role: 'user', sequence: 1 } },
  {
    type: 'transcript',
    entry: { ...SPEECH, role: 'agent', sequence: 2, interrupted: true, generatedContent: 'Hello you.' },
  },
  {
    type: 'transcript',
    entry: {
      ...SPEECH,
      role: 'tool_call',
      sequence: 3,
      toolCallId: 'c',
      name: 'f',
      toolType: 'wait',
      arguments: { a: 1 },
    },
  },
  {
    type: 'transcript',
    entry: { ...SPEECH, role: 'tool_response', sequence: 4, toolCallId: 'c', name: 'f', successful: true },
  },
  {
    type: 'transcript',
    entry: { ...SPEECH, role: 'state_transition', sequence: 5, from: 'a', to: 'b', condition: 'x' },
  },
  { type: 'transcript', entry: { ...SPEECH, role: 'dtmf', sequence: 6, endUs: null } },
  { type: 'variable', name: 'party_size', variableType: 'integer', value: 4, atUs: 3_000_000 },
  { type: 'variables_resolved', atUs: 3_000_000 },
  { type: 'tool_called', toolCallId: 'c', name: 'f', successful: true, atUs: 4_000_000 },
  { type: 'state', from: 'greeting', to: 'booking', atUs: 4_000_000 },
];

it('sends all events of a call in order, each with the documented schema of its kind', async () => {
  const database = await temporaryDatabase();
  const agentId = await storeAgent(database, {
    webhookUrl: 'https://receiver.example/',
    webhookSubscriptions: WEBHOOK_EVENT_TYPES,
  });
  const call = newCall(agentId, { status: 'ringing' });
  const calls = createCallRepository(database);
  await calls.createCall(call);
  await calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: START_MS });
  await createJournalRepository(database).appendJournal(call.id, { entries: ENTRIES, startedWallMs: START_MS });
  await calls.finish(call.id, { status: 'completed', endReason: 'agent_hangup', atMs: START_MS + 9_000 });

  const bodies: { type: WebhookEventType; sequence: number }[] = [];
  let deliver = (): void => {};
  const allDelivered = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  const outbox = createOutboxRepository(database);
  const deliverer = new WebhookDeliverer({
    outbox,
    receivers: { signingSecrets: async () => [], disableWebhook: async () => {} },
    http: {
      request: async ({ body }) => {
        const parsed = JSON.parse(body ?? '');
        bodies.push(parsed);
        if (parsed.type === 'event_call_ended') deliver();
        return { status: 200, contentType: null, body: new Uint8Array(), cutOff: false };
      },
    },
    clock: createStallSafeClock(),
    log: { warn: (...line: unknown[]) => expect.unreachable(JSON.stringify(line)) },
  });
  deliverer.wake();
  await allDelivered;
  await deliverer.stop();

  const faults = bodies.flatMap((body) => eventBodySchema(body.type).safeParse(body).error?.issues ?? []);
  expect(faults).toEqual([]);
  expect(bodies.map(({ sequence }) => sequence)).toEqual(bodies.map((_, index) => index + 1));
  expect(bodies).toHaveLength(2 + ENTRIES.length + 2);
  expect(await outbox.dueDeliveries(Date.now(), 10)).toEqual([]);
  expect(await outbox.nextAttemptMs(Date.now())).toBeNull();
});

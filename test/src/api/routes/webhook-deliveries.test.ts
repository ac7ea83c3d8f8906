import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { DeliveryAttempt } from '../../../../src/storage/events/outbox-repository.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi, writeOnlyKey } from '../test-api.ts';

const HOOK = 'https://receiver.test/hook';
const SUBSCRIBED = { webhook_url: HOOK, webhook_subscriptions: ['event_call_status_changed', 'event_call_ended'] };
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

/** An ended call with two subscribed events (`SUBSCRIBED`) and one event without a receiver. */
async function endedCall(api: TestApi, agentId: string): Promise<string> {
  const call = newCall(agentId, { status: 'in_progress', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.finish(call.id, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  return call.id;
}

function attempt(api: TestApi, httpStatus: number | null, outcome: string): DeliveryAttempt {
  return { attemptedMs: api.clock.nowMs, durationMs: 12, httpStatus, outcome };
}

async function dueIds(api: TestApi): Promise<string[]> {
  return (await api.repositories.outbox.dueDeliveries(api.clock.nowMs, 100)).map(({ id }) => id);
}

async function listed(api: TestApi, query: string, key?: string) {
  const { status, body } = await api.ask('GET', `/v1/webhook-deliveries?${query}`, undefined, key);
  expect(status).toBe(200);
  return body;
}

it('the log shows body, receiver and every attempt with its response, and no events without a receiver', async () => {
  const api = await testApi();
  const agentId = await createAgent(api, SUBSCRIBED);
  const callId = await endedCall(api, agentId);
  const withoutReceiver = await endedCall(api, await createAgent(api));
  const [eventId = ''] = await dueIds(api);
  await api.repositories.outbox.markFailed(eventId, attempt(api, 500, 'no thanks'), api.clock.nowMs + 5_000);
  api.clock.advance(5_000);
  await api.repositories.outbox.markDelivered(eventId, attempt(api, 204, ''));

  const { data, total_items } = await listed(api, '');
  expect(total_items).toBe(data.length);
  expect(data.map(({ call_id }) => call_id)).not.toContain(withoutReceiver);
  expect(data.map(({ type }) => type)).toEqual(['event_call_ended', 'event_call_status_changed']);
  const { body } = await api.ask('GET', `/v1/webhook-deliveries/${eventId}`);
  expect(body.data).toEqual(data[1]);
  expect(body.data).toEqual({
    id: eventId,
    type: 'event_call_status_changed',
    call_id: callId,
    agent_id: agentId,
    sequence: 1,
    status: 'delivered',
    url: HOOK,
    created_at: '2026-01-01T00:00:00.000Z',
    next_attempt_at: null,
    body: {
      id: eventId,
      type: 'event_call_status_changed',
      created_at: '2026-01-01T00:00:00.000Z',
      sequence: 1,
      organization_id: '00000000-0000-4000-8000-000000000001',
      agent_id: agentId,
      call_id: callId,
      data: { status: 'completed', end_reason: 'caller_hangup' },
    },
    attempts: [
      {
        attempt: 1,
        attempted_at: '2026-01-01T00:00:00.000Z',
        duration_ms: 12,
        http_status: 500,
        outcome: 'no thanks',
      },
      { attempt: 2, attempted_at: '2026-01-01T00:00:05.000Z', duration_ms: 12, http_status: 204, outcome: '' },
    ],
  });
});

it('pages and cursors return each delivery once, also within one millisecond, and filters apply', async () => {
  const api = await testApi();
  const agentId = await createAgent(api, SUBSCRIBED);
  const otherAgentId = await createAgent(api, SUBSCRIBED);
  const calls = [await endedCall(api, agentId), await endedCall(api, agentId), await endedCall(api, otherAgentId)];
  const all = (await listed(api, 'limit=100')).data.map(({ id }: { id: string }) => id);
  expect(all).toHaveLength(6);

  const byCursor: string[] = [];
  let cursor = '';
  do {
    const page = await listed(api, `use_cursor=true&limit=4${cursor}`);
    byCursor.push(...page.data.map(({ id }: { id: string }) => id));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  expect(byCursor).toEqual(all);
  const second = await listed(api, 'limit=4&page=2');
  expect(second).toMatchObject({ current_page: 2, total_pages: 2, total_items: 6 });
  expect(second.data.map(({ id }: { id: string }) => id)).toEqual(all.slice(4));

  await api.repositories.outbox.markFailed(all[0] ?? '', attempt(api, null, 'timed out'), null);
  expect((await listed(api, 'status=failed')).data).toMatchObject([{ id: all[0], status: 'failed' }]);
  expect((await listed(api, 'status=pending')).total_items).toBe(5);
  expect((await listed(api, `agent_id=${otherAgentId}`)).total_items).toBe(2);
  expect((await listed(api, `call_id=${calls[0]}`)).total_items).toBe(2);
  expect((await listed(api, `call_id=${calls[0]}&agent_id=${otherAgentId}`)).total_items).toBe(0);
  expect((await listed(api, '', OTHER_KEY)).total_items).toBe(0);
});

it('a failed delivery is redelivered at once, before later events, with its id and its log', async () => {
  let woken = 0;
  const api = await testApi({ deliverer: { wake: () => void woken++ } });
  await endedCall(api, await createAgent(api, SUBSCRIBED));
  const [eventId = ''] = await dueIds(api);
  await api.repositories.outbox.markFailed(eventId, attempt(api, 500, 'no'), null);
  const laterIds = await dueIds(api);
  expect(laterIds).not.toContain(eventId);

  const { status, body } = await api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ id: eventId, status: 'pending', next_attempt_at: '2026-01-01T00:00:00.000Z' });
  expect(woken).toBe(1);
  expect(await dueIds(api)).toEqual(expect.arrayContaining([eventId, ...laterIds]));

  await api.repositories.outbox.markDelivered(eventId, attempt(api, 200, 'thanks'));
  const { data } = (await api.ask('GET', `/v1/webhook-deliveries/${eventId}`)).body;
  expect(data.status).toBe('delivered');
  expect(data.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  // A delivered event can also be redelivered, because receivers lose data.
  expect((await api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`)).status).toBe(200);
});

it('redelivery of a pending delivery is immediate and keeps its retry schedule', async () => {
  const api = await testApi();
  await endedCall(api, await createAgent(api, SUBSCRIBED));
  const [eventId = ''] = await dueIds(api);
  await api.repositories.outbox.markFailed(eventId, attempt(api, 500, 'no'), api.clock.nowMs + 3_600_000);
  expect(await dueIds(api)).toEqual([]);
  await api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`);
  expect(await api.repositories.outbox.dueDeliveries(api.clock.nowMs, 10)).toMatchObject([
    { id: eventId, attempts: 1 },
  ]);
});

it('a redelivery returns the body of the event only to a key that may read', async () => {
  const api = await testApi();
  await endedCall(api, await createAgent(api, SUBSCRIBED));
  const [eventId = ''] = await dueIds(api);
  const redelivered = (key?: string) => api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`, undefined, key);
  expect((await redelivered(await writeOnlyKey(api))).body.data).toMatchObject({ id: eventId, body: null });
  expect((await redelivered()).body.data).toMatchObject({ id: eventId, body: { id: eventId } });
});

it('redelivery is 409 if the webhook is off or the content of the call was deleted', async () => {
  const api = await testApi();
  const agentId = await createAgent(api, SUBSCRIBED);
  const callId = await endedCall(api, agentId);
  const [eventId = ''] = await dueIds(api);
  await api.repositories.outbox.markDelivered(eventId, attempt(api, 200, 'a name'));
  const again = () => api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`);

  await api.repositories.agents.disableWebhook(agentId, HOOK, api.clock.nowMs);
  expect((await again()).status).toBe(409);
  await api.ask('PATCH', `/v1/agents/${agentId}`, { webhook_url: null });
  expect((await again()).status).toBe(409);
  await api.ask('PATCH', `/v1/agents/${agentId}`, { webhook_url: HOOK });
  await api.ask('DELETE', `/v1/calls/${callId}`);
  expect(await again()).toMatchObject({ status: 409, body: { error: { type: 'api_error' } } });
  const { data } = (await api.ask('GET', `/v1/webhook-deliveries/${eventId}`)).body;
  expect(data).toMatchObject({ status: 'delivered', body: null, attempts: [{ outcome: '' }] });
  expect(await dueIds(api)).toEqual([]);
});

it('unknown deliveries and those of other organizations are 404, and redelivery needs the scope write', async () => {
  const api = await testApi();
  const callId = await endedCall(api, await createAgent(api, SUBSCRIBED));
  await endedCall(api, await createAgent(api));
  const [eventId = ''] = await dueIds(api);
  const unsent = await api.database.query
    .selectFrom('call_events')
    .select('id')
    .where('status', '=', 'unsent')
    .executeTakeFirstOrThrow();
  for (const id of [UNKNOWN_ID, 'seven', callId, unsent.id, randomUUID()]) {
    expect((await api.ask('GET', `/v1/webhook-deliveries/${id}`)).status).toBe(404);
    expect((await api.ask('POST', `/v1/webhook-deliveries/${id}/redeliver`)).status).toBe(404);
  }
  expect((await api.ask('GET', `/v1/webhook-deliveries/${eventId}`, undefined, OTHER_KEY)).status).toBe(404);
  expect((await api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`, undefined, OTHER_KEY)).status).toBe(404);
  expect((await api.ask('GET', `/v1/webhook-deliveries/${eventId}`, undefined, READ_KEY)).status).toBe(200);
  expect((await api.ask('POST', `/v1/webhook-deliveries/${eventId}/redeliver`, undefined, READ_KEY)).status).toBe(403);
});

it.each([
  ['status=unsent', 'status'],
  ['call_id=7', 'call_id'],
  ['agent_id=x', 'agent_id'],
  ['limit=1001', 'limit'],
  ['use_cursor=true&cursor=2026-01-01T00:00:00.000Z', 'cursor'],
  [`use_cursor=true&cursor=2026-99-01T00:00:00.000Z_${UNKNOWN_ID}_1`, 'cursor'],
  ['kind=all', 'kind'],
])('%s is refused with the name of the field', async (query, field) => {
  const api = await testApi();
  const { status, body } = await api.ask('GET', `/v1/webhook-deliveries?${query}`);
  expect(status).toBe(422);
  expect(JSON.stringify(body.error.details)).toContain(field);
});

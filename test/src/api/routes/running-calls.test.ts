import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { RUNNING_CALLS_MAX } from '../../../../src/api/calls/running-calls.ts';
import type { CallActivity } from '../../../../src/calls/api-requests/call-activity.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

const message = z.object({
  calls: z.array(z.looseObject({ id: z.string(), state: z.string().nullable() })),
  truncated: z.boolean(),
  ended: z.array(z.string()).default([]),
  left_out: z.array(z.string()).default([]),
});

async function runningCall(api: TestApi, agentId: string): Promise<string> {
  const call = newCall(agentId, { status: 'ringing', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.setStatus(call.id, {
    from: ['ringing'],
    to: 'in_progress',
    atMs: api.clock.nowMs,
    patch: { startMs: api.clock.nowMs },
  });
  api.eventWatchers.wake(call.id);
  return call.id;
}

async function end(api: TestApi, callId: string): Promise<void> {
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  api.eventWatchers.wake(callId);
}

/** Listens at the first call. */
async function urlOf({ app }: TestApi): Promise<string> {
  return app.server.listening ? app.listeningOrigin : app.listen({ host: '127.0.0.1', port: 0 });
}

/** The list of a client that has read this text of the stream. */
function listOf(text: string) {
  const list = new Map<string, z.output<typeof message>['calls'][number]>();
  const ended: string[] = [];
  let truncated: boolean | null = null;
  for (const [, data = ''] of text.matchAll(/^data: (.*)\n\n/gm)) {
    const read = message.parse(JSON.parse(data));
    for (const id of [...read.ended, ...read.left_out]) list.delete(id);
    for (const call of read.calls) list.set(call.id, call);
    ended.push(...read.ended);
    truncated = read.truncated;
  }
  return { list, ended, truncated };
}

/** Reads the stream over a real connection while the clock advances. */
async function watch(api: TestApi, key = ADMIN_KEY, query = '') {
  const url = await urlOf(api);
  const ticking = setInterval(() => api.clock.advance(500), 5);
  const controller = new AbortController();
  onTestFinished(() => {
    clearInterval(ticking);
    controller.abort();
  });
  const { signal } = controller;
  const response = await fetch(`${url}/v1/calls/running/events${query}`, { headers: { 'x-api-key': key }, signal });
  let text = '';
  const done = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })();
  done.catch(() => {});
  return { response, done, text: () => text };
}

describe('the running calls of the API', () => {
  it('are those of the organization that have not ended, with what happens in them', async () => {
    const activities = new Map<string, CallActivity>();
    const api = await testApi({ activities: async () => activities });
    const agentId = await createAgent(api);
    const callId = await runningCall(api, agentId);
    await end(api, await runningCall(api, agentId));
    activities.set(callId, { activity: 'agent_speaking', state: 'greeting', responseMs: 512.5 });
    const { body } = await api.ask('GET', '/v1/calls/running', undefined, READ_KEY);
    expect(body.data).toEqual([
      {
        id: callId,
        status: 'in_progress',
        type: 'phone_call',
        direction: 'inbound',
        from_number: expect.any(String),
        to_number: expect.any(String),
        agent_id: agentId,
        agent_version: 1,
        created_at: expect.any(String),
        start_time: expect.any(String),
        activity: 'agent_speaking',
        state: 'greeting',
        response_ms: 512.5,
      },
    ]);
    expect((await api.ask('GET', '/v1/calls/running', undefined, OTHER_KEY)).body.data).toEqual([]);
  });

  it('are streamed as they begin, change and end, to their organization alone', async () => {
    const activities = new Map<string, CallActivity>();
    const api = await testApi({ activities: async () => activities });
    const agentId = await createAgent(api);
    const ours = await watch(api, READ_KEY);
    expect(ours.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await eventually(() => expect(ours.text()).toBe('event: calls\ndata: {"calls":[],"truncated":false}\n\n'));
    const callId = await runningCall(api, agentId);
    await eventually(() => expect(ours.text()).toContain(`"id":"${callId}"`));
    activities.set(callId, { activity: 'thinking', state: 'greeting', responseMs: null });
    await eventually(() => expect(ours.text()).toContain('"activity":"thinking"'));
    await end(api, callId);
    await eventually(() => expect(ours.text()).toContain(`{"calls":[],"ended":["${callId}"],`));
  });

  it('are no longer streamed once the key is revoked', async () => {
    const api = await testApi();
    const stream = await watch(api);
    await eventually(() => expect(stream.text()).toContain('event: calls'));
    const key = await api.repositories.organizations.findKey(ADMIN_KEY);
    await api.repositories.organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
    await stream.done;
  });

  it('are filtered by agent and type, in the list and in the stream', async () => {
    const api = await testApi();
    const [first, second] = [await createAgent(api), await createAgent(api)];
    const calls = [await runningCall(api, first), await runningCall(api, second)];
    const listed = async (query: string) => {
      const { body } = await api.ask('GET', `/v1/calls/running${query}`);
      return z
        .array(z.object({ id: z.string() }))
        .parse(body.data)
        .map(({ id }) => id);
    };
    expect(await listed(`?agent_id=${second}`)).toEqual([calls[1]]);
    expect(await listed(`?agent_id=${second}&type=phone_call`)).toEqual([calls[1]]);
    expect(await listed('?type=web_call')).toEqual([]);
    expect((await api.ask('GET', '/v1/calls/running?agent=x')).status).toBe(422);
    const stream = await watch(api, ADMIN_KEY, `?agent_id=${second}`);
    const later = [await runningCall(api, first), await runningCall(api, second)];
    await eventually(() => expect(stream.text()).toContain(later[1]));
    expect([...listOf(stream.text()).list.keys()].toSorted()).toEqual([calls[1], later[1]].toSorted());
  });

  it('are all sent to each of several streams, and the oldest is left out but not ended once one more runs', async () => {
    const activities = new Map<string, CallActivity>();
    const api = await testApi({ activities: async () => activities });
    const agentId = await createAgent(api);
    const ids: string[] = [];
    for (let count = 0; count < RUNNING_CALLS_MAX; count++) ids.push(await runningCall(api, agentId));
    const streams = [await watch(api), await watch(api), await watch(api, READ_KEY)];
    const lists = () => streams.map(({ text }) => listOf(text()));
    const eachHas = (expected: readonly string[], truncated: boolean) =>
      eventually(() => {
        for (const { list, ...rest } of lists()) {
          expect([...list.keys()].toSorted()).toEqual([...expected].toSorted());
          expect(rest).toEqual({ ended: [], truncated });
        }
      });
    await eachHas(ids, false);
    for (const id of ids) activities.set(id, { activity: 'listening', state: 'changed', responseMs: null });
    await eventually(() => {
      for (const { list } of lists()) expect([...list.values()].every(({ state }) => state === 'changed')).toBe(true);
    });
    ids.push(await runningCall(api, agentId));
    await eachHas(ids.slice(1), true);
    await end(api, ids.pop() ?? '');
    await eventually(() => {
      for (const { list, truncated } of lists()) expect([list.size, truncated]).toEqual([RUNNING_CALLS_MAX, false]);
    });
  });
});

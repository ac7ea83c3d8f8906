import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallActivity } from '../../../../src/calls/api-requests/call-activity.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

async function runningCall(api: TestApi, agentId: string): Promise<string> {
  const call = newCall(agentId, { status: 'ringing', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.setStatus(call.id, {
    from: ['ringing'],
    to: 'in_progress',
    atMs: api.clock.nowMs,
    patch: { startMs: api.clock.nowMs },
  });
  api.eventWatchers.wake();
  return call.id;
}

async function end(api: TestApi, callId: string): Promise<void> {
  await api.repositories.calls.finish(callId, {
    status: 'completed',
    endReason: 'caller_hangup',
    atMs: api.clock.nowMs,
  });
  api.eventWatchers.wake();
}

/** Reads the stream over a real connection while the clock advances. */
async function watch(api: TestApi, key = ADMIN_KEY) {
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const ticking = setInterval(() => api.clock.advance(500), 5);
  const controller = new AbortController();
  onTestFinished(() => {
    clearInterval(ticking);
    controller.abort();
  });
  const { signal } = controller;
  const response = await fetch(`${url}/v1/calls/running/events`, { headers: { 'x-api-key': key }, signal });
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
    await eventually(() => expect(ours.text()).toBe('event: calls\ndata: {"calls":[]}\n\n'));
    const callId = await runningCall(api, agentId);
    await eventually(() => expect(ours.text()).toContain(`"id":"${callId}"`));
    activities.set(callId, { activity: 'thinking', state: 'greeting', responseMs: null });
    await eventually(() => expect(ours.text()).toContain('"activity":"thinking"'));
    await end(api, callId);
    await eventually(() => expect(ours.text()).toContain(`{"calls":[],"ended":["${callId}"]}`));
  });

  it('are no longer streamed once the key is revoked', async () => {
    const api = await testApi();
    const stream = await watch(api);
    await eventually(() => expect(stream.text()).toContain('event: calls'));
    const key = await api.repositories.organizations.findKey(ADMIN_KEY);
    await api.repositories.organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
    await stream.done;
  });
});

import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, createAgent, testApi } from '../test-api.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

describe('an API key that was valid at an earlier request', () => {
  it('is refused at once when it is revoked, whatever the response, and stages no call', async () => {
    const api = await testApi();
    const { calls, organizations } = api.repositories;
    const agentId = await createAgent(api);
    const call = newCall(agentId);
    await calls.createCall(call);
    const staged = { from_number: '+4915112345678', to_number: '+493012345678', agent_id: agentId };
    const requests = [
      ['GET', `/v1/calls/${call.id}`],
      ['GET', `/v1/calls/${UNKNOWN_ID}`],
      ['GET', '/v1/calls/no-id'],
      ['GET', '/v1/calls?limit=no-number'],
      ['GET', '/v1/calls'],
      ['POST', '/v1/calls/stage', staged],
      ['POST', '/v1/calls/stage', { ...staged, agent_id: UNKNOWN_ID }],
    ] as const;
    for (const [method, path, body] of requests) {
      expect((await api.ask(method, path, body)).status, `${method} ${path}`).not.toBe(401);
    }
    const before = api.callService.staged.length;
    const key = await organizations.findKey(ADMIN_KEY);
    for (const [method, path, body] of requests) {
      // Remembers the key again: the request that finds the revocation forgets it.
      await api.database.query
        .updateTable('api_keys')
        .set({ revoked_ms: null })
        .where('id', '=', key?.id ?? '')
        .execute();
      await api.ask('GET', '/v1/calls');
      await organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
      expect(await api.ask(method, path, body), `${method} ${path}`).toMatchObject({
        status: 401,
        body: { type: 'auth_error' },
      });
      expect((await api.ask(method, path, body)).status).toBe(401);
    }
    expect(api.callService.staged.length).toBe(before);
  });

  it('claims no idempotency key once it is revoked', async () => {
    const api = await testApi();
    const agentId = await createAgent(api);
    await api.ask('GET', '/v1/calls');
    const { idempotency, organizations } = api.repositories;
    const key = await organizations.findKey(ADMIN_KEY);
    await organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
    const claimed = vi.spyOn(idempotency, 'claim');
    const { statusCode } = await api.app.inject({
      method: 'POST',
      url: '/v1/calls/stage',
      headers: { 'x-api-key': ADMIN_KEY, 'idempotency-key': 'one' },
      payload: { from_number: '+4915112345678', to_number: '+493012345678', agent_id: agentId },
    });
    expect(statusCode).toBe(401);
    expect(claimed).not.toHaveBeenCalled();
  });

  it('is looked up in the same message to the database as the call that it reads', async () => {
    const api = await testApi();
    const { app, repositories } = api;
    const call = newCall(await createAgent(api));
    await repositories.calls.createCall(call);
    const get = () => app.inject({ method: 'GET', url: `/v1/calls/${call.id}`, headers: { 'x-api-key': ADMIN_KEY } });
    await get();
    const posted = vi.spyOn(Worker.prototype, 'postMessage');
    onTestFinished(() => posted.mockRestore());
    expect((await get()).statusCode).toBe(200);
    expect(posted).toHaveBeenCalledTimes(1);
  });
});

import { describe, expect, it } from 'vitest';
import { CallRefusedError } from '../../../../src/calls/api-requests/call-service.ts';
import { createAgent, READ_KEY, sharedApi, testApi } from '../test-api.ts';

const UNKNOWN_AGENT = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';

describe('POST /v1/calls/web', () => {
  it('returns the call, its token and a complete media URL', async () => {
    const api = await testApi();
    const agentId = await createAgent(api);
    const { status, body } = await api.ask('POST', '/v1/calls/web', {
      agent_id: agentId,
      dynamic_variables_values: { customer: 'Ada' },
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      call_id: expect.any(String),
      access_token: 'a-token',
      media_url: `ws://calls.test/v1/calls/${body.data.call_id}/media?token=a-token`,
    });
    const call = await api.ask('GET', `/v1/calls/${body.data.call_id}`);
    expect(call.body.data).toMatchObject({ type: 'web_call', from_number: null, to_number: null });
    expect(JSON.stringify(call.body)).not.toContain('a-token');
  });

  it('returns a wss URL for an https service', async () => {
    const api = await testApi({ publicUrl: () => 'https://calls.test/voice' });
    const { body } = await api.ask('POST', '/v1/calls/web', { agent_id: await createAgent(api) });
    expect(body.data.media_url).toMatch(/^wss:\/\/calls\.test\/voice\/v1\/calls\//);
  });

  it('returns 502 with the call id if the preparation fails', async () => {
    const api = await testApi();
    api.callService.ready = Promise.resolve({ type: 'failed', message: 'voice deepgram needs DEEPGRAM_API_KEY' });
    const { status, body } = await api.ask('POST', '/v1/calls/web', { agent_id: await createAgent(api) });
    expect(status).toBe(502);
    expect(body.message).toContain('DEEPGRAM_API_KEY');
    expect(body.data.call_id).toEqual(expect.any(String));
  });

  it('takes the version that is asked for, a draft too', async () => {
    const api = await testApi();
    const agentId = await createAgent(api);
    await api.ask('PATCH', `/v1/agents/${agentId}?publish=false`, { base_prompt: 'A draft.' });
    const versions = [undefined, 2].map(async (version) => {
      const { body } = await api.ask('POST', '/v1/calls/web', { agent_id: agentId, agent_version: version });
      return (await api.ask('GET', `/v1/calls/${body.data.call_id}`)).body.data.agent_version;
    });
    expect(await Promise.all(versions)).toEqual([1, 2]);
    const refused = await api.ask('POST', '/v1/calls/web', { agent_id: agentId, agent_version: 3 });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body.error)).toContain('agent_version');
  });

  it('is refused while the service accepts no calls', async () => {
    const api = await testApi();
    api.callService.refusal = new CallRefusedError('draining', 'this node takes no new calls');
    const { status, headers } = await api.ask('POST', '/v1/calls/web', { agent_id: await createAgent(api) });
    expect(status).toBe(503);
    expect(headers['retry-after']).toBeDefined();
  });

  const shared = sharedApi();
  it.each([
    { name: 'no agent', body: {}, status: 422, field: 'agent_id' },
    { name: 'an unknown agent', body: { agent_id: UNKNOWN_AGENT }, status: 422, field: 'agent_id' },
    { name: 'a number', body: { agent_id: UNKNOWN_AGENT, to_number: '+4930123456' }, status: 422, field: 'to_number' },
    { name: 'invalid variables', body: { agent_id: UNKNOWN_AGENT, dynamic_variables_values: [] }, status: 422 },
  ])('is refused with $name', async ({ body, status, field = 'dynamic_variables_values' }) => {
    const answer = await shared().ask('POST', '/v1/calls/web', body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body.error)).toContain(field);
  });

  it('needs a key with the scope write', async () => {
    expect((await shared().ask('POST', '/v1/calls/web', { agent_id: UNKNOWN_AGENT }, READ_KEY)).status).toBe(403);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startCommitCutter } from '../../postgres/commit-cutter.ts';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';
import { createWebCall, WebCaller } from '../rig/web-caller.ts';

const TERMINATE_CONNECTIONS =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

describe.skipIf(!hasPostgres())('a PostgreSQL server that drops every connection', () => {
  it('ends no call: the transcript and the end of the call are stored', async () => {
    const url = await temporaryPostgresUrl();
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const test = await startTestService({ ...providers.environment, DATABASE_URL: url });
    onTestFinished(() => test.close());
    const agent = await test.api.createAgent(talker());
    const { callId, report } = await dialIn(test, agent.id);
    await eventually(async () => expect((await test.api.call(callId)).transcript).not.toEqual([]));
    for (let times = 0; times < 3; times += 1) await administrate(url, TERMINATE_CONNECTIONS);
    await eventually(async () => {
      const { status } = await test.api.send('POST', `/v1/calls/${callId}/terminate`);
      expect(status).toBe(200);
    });
    expect((await report).endedBy).toBe('callee');
    const ended = await test.api.callIn(callId, ['completed']);
    expect(ended).toMatchObject({ end_reason: 'terminated' });
    expect(ended.transcript?.[0]?.role).toBe('agent');
    await eventually(async () => expect((await fetch(`${test.service.httpUrl}/readyz`)).status).toBe(200));
  });
});

describe.skipIf(!hasPostgres())('a connection lost after COMMIT was sent', () => {
  async function serviceBehindCutter() {
    const url = await temporaryPostgresUrl();
    const cutter = await startCommitCutter(url);
    onTestFinished(() => cutter.close());
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const test = await startTestService({ ...providers.environment, DATABASE_URL: cutter.url });
    onTestFinished(() => test.close());
    const { id: agentId } = await test.api.createAgent(talker());
    const calls = () => administrate(url, 'SELECT status, end_reason FROM calls');
    return { agentId, api: test.api, calls, cutter, test };
  }
  const ENDED = { status: 'failed', end_reason: 'internal_error' };

  it.each(['stage', 'phone', 'web'])('refuses a new call (%s) and leaves no call without an end', async (kind) => {
    const { agentId, api, calls, cutter } = await serviceBehindCutter();
    const trunk = await api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: '127.0.0.1:9',
    });
    await api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, trunk_id: trunk.id });
    const numbers = kind === 'web' ? {} : { from_number: FROM, to_number: TO };
    cutter.cutNext(1);
    const answer = await api.send('POST', `/v1/calls/${kind}`, { agent_id: agentId, ...numbers });
    expect([answer.status, cutter.cut]).toEqual([503, 1]);
    await eventually(async () => expect(await calls()).toEqual([ENDED]));
  });

  it('refuses the connection of a web call that is being claimed, and ends the call', async () => {
    const { agentId, calls, cutter, test } = await serviceBehindCutter();
    const { media_url: url } = await createWebCall(test, agentId);
    cutter.cutNext(1);
    const caller = new WebCaller(url, { origin: test.service.httpUrl });
    onTestFinished(() => caller.socket.terminate());
    expect([await caller.refused, cutter.cut]).toEqual([500, 1]);
    await eventually(async () => expect(await calls()).toEqual([ENDED]));
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { administrate } from '../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../postgres/temporary-postgres.ts';
import { startEmulatedProviders } from './emulated-providers.ts';
import { eventually } from './eventually.ts';
import { dialIn, talker } from './staged-call.ts';
import { startTestService } from './test-service.ts';

const HANG_UP =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

describe.skipIf(!hasPostgres())('a PostgreSQL that drops every connection', () => {
  it('costs no call: what was said before and after is kept, and so is its end', async () => {
    const url = await temporaryPostgresUrl();
    const providers = await startEmulatedProviders();
    onTestFinished(() => providers.close());
    const test = await startTestService({ ...providers.environment, DATABASE_URL: url });
    onTestFinished(() => test.close());
    const agent = await test.api.createAgent(talker());
    const { callId, report } = await dialIn(test, agent.id);
    await eventually(async () => expect((await test.api.call(callId)).transcript).not.toEqual([]));
    for (let times = 0; times < 3; times += 1) await administrate(url, HANG_UP);
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

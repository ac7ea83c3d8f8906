import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startWebhookReceiver } from '../../demo/webhook-receiver.ts';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';

/** A node treats calls as orphaned only after it has renewed its lease for a complete lease time. */
const ORPHAN_CLOSED_WITHIN_MS = 30_000;

describe.skipIf(!hasPostgres())('two nodes on one PostgreSQL', () => {
  const running: ServiceProcess[] = [];
  let providers: EmulatedProviders | null = null;

  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill();
    await providers?.close();
  });
  async function twoNodes() {
    const url = await temporaryPostgresUrl();
    providers = await startEmulatedProviders();
    const environment = {
      ...providers.environment,
      DATABASE_URL: url,
      TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    };
    const [one, two] = await Promise.all([
      startServiceProcess({ ...environment, RTP_PORTS: '19100-19199' }),
      startServiceProcess({ ...environment, RTP_PORTS: '19200-19299' }),
    ]);
    running.push(one, two);
    return { environment, url, one, two };
  }

  it("answer each other's staged calls, relay a termination, and close an orphaned call once", {
    timeout: 240_000,
  }, async () => {
    const hooks = await startWebhookReceiver(() => null);
    const { environment, url, one, two } = await twoNodes();
    const agent = await one.api.createAgent(
      talker({ webhook_url: hooks.url, webhook_subscriptions: ['event_call_ended'] }),
    );
    const answered = await dialIn({ api: one.api, sipPort: two.sipPort }, agent.id);
    const say = `/v1/calls/${answered.callId}/say`;
    expect((await one.api.send('POST', say, { text: 'From the other node.', interrupt: true })).status).toBe(200);
    await answered.said('From the other node.');
    expect((await one.api.send('POST', `/v1/calls/${answered.callId}/terminate`)).status).toBe(200);
    expect(await one.api.call(answered.callId)).toMatchObject({ status: 'completed', end_reason: 'terminated' });
    expect((await answered.report).endedBy).toBe('callee');

    const orphaned = await dialIn({ api: one.api, sipPort: two.sipPort }, agent.id);
    // The status changes with the 200. The service stores the dialog for the BYE afterwards.
    await eventually(async () => expect((await one.api.call(orphaned.callId)).sip_call_id).not.toBeNull());
    const nodeId = (await readFile(join(two.dataDir, 'node.id'), 'utf8')).trim();
    await two.kill();
    // Ends the lease of the killed node at once.
    for (const table of ['nodes WHERE id', 'node_duties WHERE node_id']) {
      await administrate(url, `DELETE FROM ${table} = '${nodeId}'`);
    }
    const closed = await one.api.callIn(orphaned.callId, ['completed'], ORPHAN_CLOSED_WITHIN_MS);
    expect(closed).toMatchObject({ end_reason: 'node_lost' });
    expect((await orphaned.report).endedBy).toBe('callee');
    const ends = () =>
      hooks.events.filter(({ type, call_id }) => type === 'event_call_ended' && call_id === orphaned.callId);
    await eventually(() => expect(ends()).toHaveLength(1));

    const again = await startServiceProcess({ ...environment, DATA_DIR: two.dataDir, RTP_PORTS: '19200-19299' });
    running.push(again);
    expect(await again.api.call(orphaned.callId)).toMatchObject({ status: 'completed', end_reason: 'node_lost' });
    await hooks.close();
  });

  it('refuse the start of a process on a copy of a data directory, and go on', { timeout: 240_000 }, async () => {
    const { environment, one } = await twoNodes();
    const agent = await one.api.createAgent(talker());
    const call = await dialIn(one, agent.id);
    const copy = await mkdtemp(join(tmpdir(), 'trunkline-copy-'));
    onTestFinished(() => rm(copy, { recursive: true, force: true }));
    await copyFile(join(one.dataDir, 'node.id'), join(copy, 'node.id'));
    const start = startServiceProcess({ ...environment, DATA_DIR: copy, RTP_PORTS: '19300-19399' });
    await expect(start).rejects.toThrow(/remove node\.id from the copy/);
    expect(await one.api.call(call.callId)).toMatchObject({ status: 'in_progress' });
    expect((await call.hangUp()).endedBy).toBe('caller');
  });
});

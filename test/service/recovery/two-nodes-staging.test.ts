import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, type LastingDatabase, lastingPostgres } from '../../postgres/temporary-postgres.ts';
import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCaller } from '../../sip-endpoint/sip-caller.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

/** Id of a node without a process. */
const THIRD_NODE = randomUUID();
const LEASE_MS = 600_000;

describe.skipIf(!hasPostgres())('an INVITE that reaches one node while another node prepares its call', () => {
  let database: LastingDatabase;
  let providers: EmulatedProviders;
  let firstNode: TestService;
  let secondNode: TestService;
  let agentId: string;
  const cleanUp: (() => unknown)[] = [];

  beforeAll(async () => {
    database = await lastingPostgres();
    providers = await startEmulatedProviders();
    const environment = {
      ...providers.environment,
      DATABASE_URL: database.url,
      TRUNKLINE_MASTER_KEY: 'cd'.repeat(32),
    };
    firstNode = await startTestService({ ...environment, RTP_PORTS: '32000-32099' });
    secondNode = await startTestService({ ...environment, RTP_PORTS: '32100-32199' });
    agentId = (await firstNode.api.createAgent(talker({ initial_message: 'Hi.' }))).id;
    // A third node with a valid lease, so that its calls are not orphaned.
    const until = Date.now() + LEASE_MS;
    await administrate(database.url, `INSERT INTO nodes (id, lease_until_ms) VALUES ('${THIRD_NODE}', ${until})`);
  });
  afterAll(async () => {
    for (const close of cleanUp) await close();
    await Promise.all([firstNode?.close(), secondNode?.close()]);
    await providers?.close();
    await database?.drop();
  });

  const change = (callId: string, fields: string) =>
    administrate(database.url, `UPDATE calls SET ${fields} WHERE id = '${callId}'`);
  /** Stores a call that a third node is preparing. */
  const stageOnThirdNode = async (): Promise<string> => {
    const callId = await firstNode.api.stage({ from_number: FROM, to_number: TO, agent_id: agentId });
    await change(callId, `status = 'initiated', staging_deadline_ms = NULL, node_id = '${THIRD_NODE}'`);
    return callId;
  };
  const finishPreparation = (callId: string) =>
    change(callId, `status = 'staged', staging_deadline_ms = ${Date.now() + 60_000}`);
  const invite = async (node: TestService, callId: string) => {
    const rtp = await TalkingRtpPeer.open('127.0.0.1');
    const rang = Promise.withResolvers<void>();
    const final = Promise.withResolvers<number | null>();
    const ended = Promise.withResolvers<void>();
    const options = {
      target: { host: '127.0.0.1', port: node.sipPort },
      protocol: 'UDP',
      localAddress: '127.0.0.1',
      to: TO,
      from: FROM,
      headers: { 'X-Service-Call-Id': callId },
      sdp: rtp.offer(['pcmu']),
    } as const;
    const uac = new SipCaller(options, {
      onProvisional: (status) => status === 180 && rang.resolve(),
      onAnswered: () => final.resolve(200),
      onEnded: (_by, status) => {
        final.resolve(status);
        ended.resolve();
      },
    });
    cleanUp.push(
      () => rtp.close(),
      () => uac.close(),
    );
    await uac.invite();
    return { rang: rang.promise, final: final.promise, ended: ended.promise, hangUp: () => uac.bye() };
  };
  const startEvents = (callId: string) =>
    administrate(database.url, `SELECT 1 FROM call_events WHERE call_id = '${callId}' AND type = 'event_call_started'`);

  it('rings until the call is prepared, and is then answered by the node that it reached', async () => {
    const callId = await stageOnThirdNode();
    const caller = await invite(secondNode, callId);
    await caller.rang;
    expect(await secondNode.api.call(callId)).toMatchObject({ status: 'initiated' });
    await finishPreparation(callId);
    expect(await caller.final).toBe(200);
    caller.hangUp();
    await secondNode.api.callIn(callId, ['completed']);
    expect(await startEvents(callId)).toHaveLength(1);
  });

  it('is refused with 480 when the preparation fails', async () => {
    const callId = await stageOnThirdNode();
    const caller = await invite(secondNode, callId);
    await caller.rang;
    await change(callId, `status = 'failed', end_reason = 'internal_error', end_ms = ${Date.now()}`);
    expect(await caller.final).toBe(480);
    expect(await startEvents(callId)).toEqual([]);
  });

  it('is answered by one node and refused by the other when it reaches both at once', async () => {
    const callId = await stageOnThirdNode();
    const callers = await Promise.all([firstNode, secondNode].map((node) => invite(node, callId)));
    await Promise.all(callers.map(({ rang }) => rang));
    await finishPreparation(callId);
    const finals = await Promise.all(callers.map(({ final }) => final));
    // 404 after losing the claim; 480 when it read the row after the other node's claim.
    expect(finals.filter((status) => status === 200)).toHaveLength(1);
    expect(finals.filter((status) => status === 404 || status === 480)).toHaveLength(1);
    for (const { hangUp } of callers) hangUp();
    await firstNode.api.callIn(callId, ['completed']);
    expect(await startEvents(callId), 'one agent').toHaveLength(1);
  });

  it('is answered even if the API request waits for the preparation on the first node (sync)', async () => {
    const request = { from_number: FROM, to_number: TO, agent_id: agentId };
    const staging = firstNode.api.send('POST', '/v1/calls/stage?sync=true', request);
    const callId = await eventually(
      async () => {
        const rows = await administrate(
          database.url,
          "SELECT id FROM calls WHERE status IN ('initiated', 'staged') ORDER BY listed_us DESC LIMIT 1",
        );
        expect(rows).toHaveLength(1);
        return String(rows[0]?.id);
      },
      10_000,
      1,
    );
    const caller = await invite(secondNode, callId);
    expect((await staging).status).toBe(201);
    expect(await caller.final).toBe(200);
    caller.hangUp();
    await secondNode.api.callIn(callId, ['completed']);
  });
});

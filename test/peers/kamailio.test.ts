import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { administrate } from '../postgres/server.ts';
import { hasPostgres, type LastingDatabase, lastingPostgres } from '../postgres/temporary-postgres.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../service/rig/service-process.ts';
import { dialIn, talker } from '../service/rig/staged-call.ts';
import { TlsFiles } from '../sip/server/tls-files.ts';
import { type Kamailio, startKamailio } from './kamailio.ts';
import { hasPeer } from './peer-process.ts';
import { freeSipPort } from './sip-port.ts';

/** A node closes the calls of another once it has held its own lease for a whole lease. */
const CLOSED_WITHIN_MS = 40_000;

describe.skipIf(!hasPostgres() || !hasPeer('kamailio'))('Kamailio in front of two nodes', () => {
  let database: LastingDatabase;
  let providers: EmulatedProviders;
  let kamailio: Kamailio;
  let nodes: ServiceProcess[] = [];
  const environments: Record<string, string>[] = [];
  let agentId: string;
  const tls = new TlsFiles();

  beforeAll(async () => {
    database = await lastingPostgres();
    providers = await startEmulatedProviders();
    const environment = {
      ...providers.environment,
      DATABASE_URL: database.url,
      TRUNKLINE_MASTER_KEY: 'ef'.repeat(32),
      DRAIN_SECONDS: '60',
    };
    for (const [nth, ports] of ['34000-34099', '34100-34199'].entries()) {
      environments[nth] = { ...environment, RTP_PORTS: ports, SIP_PORT: String(await freeSipPort()) };
    }
    nodes = await Promise.all(environments.map((one) => startServiceProcess(one)));
    agentId = (await first().api.createAgent(talker())).id;
    kamailio = await startKamailio(
      nodes.map(({ sipPort }) => sipPort),
      tls.certificate('kamailio', ['IP:127.0.0.1']),
    );
  });
  afterAll(async () => {
    await kamailio?.close();
    for (const node of nodes) await node.kill();
    await providers?.close();
    await database?.drop();
    tls.remove();
  });

  const first = () => {
    const [node] = nodes;
    if (node === undefined) throw new Error('no node was started');
    return node;
  };
  const dial = () => dialIn({ api: first().api, sipPort: kamailio.port }, agentId);
  const nodeOf = async (callId: string) => {
    const [row] = await administrate(database.url, `SELECT node_id FROM calls WHERE id = '${callId}'`);
    return String(row?.node_id);
  };

  const nodesOfOpenCalls = async () =>
    (await administrate(database.url, "SELECT DISTINCT node_id FROM calls WHERE status = 'in_progress'")).length;

  it('calls go to both nodes, whichever staged them; BYEs of both sides find their way', async () => {
    const calls = await Promise.all([dial(), dial(), dial(), dial()]);
    const served = await Promise.all(calls.map(({ callId }) => nodeOf(callId)));
    expect(new Set(served).size).toBe(2);
    const [hungUp, ...terminated] = calls;
    expect((await hungUp?.hangUp())?.endedBy).toBe('caller');
    for (const { callId, report } of terminated) {
      expect((await first().api.send('POST', `/v1/calls/${callId}/terminate`)).status).toBe(200);
      expect((await report).endedBy).toBe('callee');
    }
  });

  it('takes a call over TLS', async () => {
    const bridge = await bridgeToTls(kamailio.tlsPort, await readFile(tls.authorityPath));
    onTestFinished(bridge.close);
    const call = await dialIn({ api: first().api, sipPort: bridge.port }, agentId, { protocol: 'TCP' });
    expect((await call.hangUp()).endedBy).toBe('caller');
    await first().api.callIn(call.callId, ['completed']);
  });

  it('a rolling restart loses no call: each node drains while the other takes the new calls', async () => {
    let rolls = true;
    let { api } = first();
    /** Calls of each caller that have ended. */
    const ended = [0, 0, 0];
    const callers = ended.map(async (_, nth) => {
      const ends: string[] = [];
      for (; rolls; ended[nth] = ends.length) {
        const hangUp = { afterMs: 1_500 + nth * 700 };
        const call = await dialIn({ api, sipPort: kamailio.port }, agentId, { hangUp });
        ends.push((await call.report).endedBy);
      }
      return ends;
    });
    /** Resolves when each caller has ended the call that it was in, and one more. */
    const afterNextCalls = async () => {
      const before = [...ended];
      const isAhead = () => expect(ended.every((count, nth) => count > (before[nth] ?? 0) + 1)).toBe(true);
      await eventually(isAhead, 60_000);
    };
    for (const [nth, node] of [...nodes.entries()]) {
      api = nodes[1 - nth]?.api ?? api;
      await afterNextCalls();
      expect(await node.stop()).toBe(0);
      await afterNextCalls();
      nodes[nth] = await startServiceProcess({ ...environments[nth], DATA_DIR: node.dataDir });
      // Kamailio passes over a node until its OPTIONS is answered again.
      await eventually(async () => expect(await nodesOfOpenCalls()).toBe(2), 60_000);
    }
    rolls = false;
    const ends = (await Promise.all(callers)).flat();
    expect(ends.length).toBeGreaterThan(12);
    expect(ends.filter((endedBy) => endedBy !== 'caller')).toEqual([]);
    // The caller's report comes before the end of its call is stored.
    await eventually(async () => {
      const reasons = await administrate(database.url, 'SELECT DISTINCT end_reason FROM calls');
      expect(reasons.map((row) => row.end_reason).sort()).toEqual(['caller_hangup', 'terminated']);
    });
  }, 240_000);

  it('after a node was killed its callers get a BYE from the other node, and new calls go there', async () => {
    const second = nodes[1];
    if (second === undefined) throw new Error('two nodes were started');
    const secondId = (await readFile(join(second.dataDir, 'node.id'), 'utf8')).trim();
    const calls = await Promise.all([dial(), dial(), dial(), dial()]);
    const lost = [];
    for (const call of calls) if ((await nodeOf(call.callId)) === secondId) lost.push(call);
    expect(lost.length).toBeGreaterThan(0);
    // The service stores the dialog for the BYE after the 200.
    for (const { callId } of lost) {
      await eventually(async () => expect((await first().api.call(callId)).sip_call_id).not.toBeNull());
    }
    await second.kill();
    // Ends the lease of the killed node at once.
    await administrate(database.url, `DELETE FROM nodes WHERE id = '${secondId}'`);
    const next = await Promise.all([dial(), dial(), dial()]);
    for (const { callId } of next) expect(await nodeOf(callId)).not.toBe(secondId);
    for (const { callId, report } of lost) {
      await first().api.callIn(callId, ['completed'], CLOSED_WITHIN_MS);
      expect((await report).endedBy).toBe('callee');
      expect(await first().api.call(callId)).toMatchObject({ end_reason: 'node_lost' });
    }
    for (const call of [...calls, ...next]) await call.hangUp();
  });
});

/** A TCP port whose connections go on over TLS: the caller of the tests speaks TCP. */
async function bridgeToTls(port: number, authority: Buffer): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((near) => {
    const far = connectTls({ port, host: '127.0.0.1', ca: authority });
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freeSipPort } from '../../peers/sip-port.ts';
import { administrate, databaseOf, restartServer } from '../../postgres/server.ts';
import { hasPostgres, temporaryServer } from '../../postgres/temporary-postgres.ts';
import { startEmulatedProviders } from '../rig/emulated-providers.ts';
import { startEventReceiver } from '../rig/event-receiver.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';
import { dialIn, type StagedCall, talker } from '../rig/staged-call.ts';

const RTP_PORTS = 100;
const FIRST_RTP_PORT = 33_000;
/** A node fences its calls 12 s after the last renewal of its lease, which may be 3 s old. */
const OUTAGE_MS_MAX = 8_000;
/** Longer than a restart of a node on a busy machine. Reached only if the test does not end the call. */
const CALL_MS_MAX = 240_000;

/** A node that is started again on its data directory and ports. */
class RestartedNode {
  readonly #environment: Record<string, string>;
  #process: ServiceProcess | null = null;

  private constructor(environment: Record<string, string>) {
    this.#environment = environment;
  }

  static async start(nth: number, environment: Record<string, string>): Promise<RestartedNode> {
    const firstPort = FIRST_RTP_PORT + nth * RTP_PORTS;
    const node = new RestartedNode({
      ...environment,
      DATA_DIR: await mkdtemp(join(tmpdir(), 'trunkline-rolling-')),
      SIP_PORT: String(await freeSipPort()),
      RTP_PORTS: `${firstPort}-${firstPort + RTP_PORTS - 1}`,
    });
    await node.start();
    return node;
  }

  get process(): ServiceProcess {
    if (this.#process === null) throw new Error('the node has no process');
    return this.#process;
  }

  async start(): Promise<void> {
    this.#process = await startServiceProcess(this.#environment);
  }

  /** As a balancer asks. */
  async isReady(): Promise<boolean> {
    return fetch(`${this.process.httpUrl}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

async function cluster(size: number) {
  const { folder, url: server } = await temporaryServer();
  await administrate(server, 'CREATE DATABASE rolling');
  const url = databaseOf(server, 'rolling');
  const providers = await startEmulatedProviders();
  onTestFinished(() => providers.close());
  const hooks = await startEventReceiver();
  onTestFinished(() => hooks.close());
  const environment = {
    ...providers.environment,
    DATABASE_URL: url,
    TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
    HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    DRAIN_SECONDS: '120',
  };
  const nodes: RestartedNode[] = [];
  for (let nth = 0; nth < size; nth += 1) {
    const node = await RestartedNode.start(nth, environment);
    onTestFinished(() => node.process.kill());
    nodes.push(node);
  }
  const [first] = nodes;
  if (first === undefined) throw new Error('there is no node');
  const agent = talker({ webhook_url: hooks.url, webhook_subscriptions: ['event_call_ended'] });
  const { id: agentId } = await first.process.api.createAgent(agent);
  return { agentId, folder, hooks, nodes, url };
}

/** Stages a call at one node and dials in at another. */
function dialAcross(staging: RestartedNode, answering: RestartedNode, agentId: string): Promise<StagedCall> {
  const at = { api: staging.process.api, sipPort: answering.process.sipPort };
  return dialIn(at, agentId, { durationMsMax: CALL_MS_MAX });
}

async function hangUp(call: StagedCall): Promise<void> {
  expect((await call.hangUp()).endedBy).toBe('caller');
}

describe.skipIf(!hasPostgres())('a rolling restart', () => {
  it.each([2, 3])('of %i nodes loses no call: those in progress, staged or new', { timeout: 300_000 }, async (size) => {
    const { agentId, hooks, nodes, url } = await cluster(size);
    const placed: StagedCall[] = [];
    for (const [nth, node] of nodes.entries()) {
      const other = nodes[(nth + 1) % size];
      if (other === undefined) throw new Error('there is no other node');
      const { child } = node.process;
      const own = await dialAcross(other, node, agentId);
      const beside = await dialAcross(node, other, agentId);
      const staged = await node.process.api.stage({
        from_number: '+33123456789',
        to_number: '+33987654321',
        agent_id: agentId,
      });
      placed.push(own, beside);
      await eventually(async () => expect(await node.isReady()).toBe(true));
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await eventually(async () => expect(await node.isReady()).toBe(false));

      const claimed = await dialAcross(other, other, agentId);
      placed.push(claimed);
      await hangUp(claimed);
      expect(await other.process.api.call(staged), 'it waits for any node').toMatchObject({ status: 'staged' });
      expect(await other.process.api.call(own.callId)).toMatchObject({ status: 'in_progress' });
      await hangUp(own);
      expect(await exited).toEqual([0, null]);
      await node.start();
      await eventually(async () => expect(await node.isReady()).toBe(true));
      await hangUp(beside);
    }
    for (const { callId } of placed) {
      const ended = await nodes[0]?.process.api.callIn(callId, ['completed']);
      expect(ended).toMatchObject({ end_reason: 'caller_hangup' });
    }
    const ids = placed.map(({ callId }) => callId);
    await eventually(() =>
      expect(hooks.arrivals.filter(({ call_id }) => ids.includes(call_id))).toHaveLength(ids.length),
    );
    expect(await administrate(url, "SELECT id FROM calls WHERE end_reason = 'node_lost'")).toEqual([]);
  });
});

describe.skipIf(!hasPostgres())('a restart of PostgreSQL', () => {
  it.for(['fast', 'immediate'] as const)(
    '(%s) ends no call of two nodes',
    { timeout: 300_000 },
    async (mode, { skip }) => {
      const { agentId, folder, hooks, nodes } = await cluster(2);
      const [one, two] = nodes;
      if (one === undefined || two === undefined) throw new Error('there are two nodes');
      const calls = [await dialAcross(one, two, agentId), await dialAcross(two, one, agentId)];
      const startedMs = performance.now();
      await restartServer(folder, mode);
      // A longer outage may end all calls.
      skip(performance.now() - startedMs > OUTAGE_MS_MAX, 'the machine restarted PostgreSQL too slowly');
      for (const node of nodes) await eventually(async () => expect(await node.isReady()).toBe(true));
      for (const { callId } of calls) {
        await eventually(async () => {
          expect(await one.process.api.call(callId)).toMatchObject({ status: 'in_progress' });
        });
      }
      for (const call of calls) await hangUp(call);
      for (const { callId } of calls) {
        expect(await two.process.api.callIn(callId, ['completed'])).toMatchObject({ end_reason: 'caller_hangup' });
      }
      await eventually(() => expect(hooks.arrivals).toHaveLength(calls.length));
      const later = await dialAcross(two, one, agentId);
      await hangUp(later);
    },
  );
});

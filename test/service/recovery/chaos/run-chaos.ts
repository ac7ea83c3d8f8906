import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';
import {
  administrate,
  CRASH_SAFE,
  databaseOf,
  removeServer,
  restartServer,
  serverFolder,
  startServer,
  stopServer,
} from '../../../postgres/server.ts';
import { seededRandom } from '../../../seeded-random.ts';
import { FINAL_STATUSES } from '../../rig/api-client.ts';
import { postgresStore, type StoredCalls } from '../../rig/call-store.ts';
import { heardLine, startEmulatedProviders } from '../../rig/emulated-providers.ts';
import { startEventReceiver } from '../../rig/event-receiver.ts';
import { talker } from '../../rig/staged-call.ts';
import { ChaosCalls } from './chaos-calls.ts';
import { type InjectedFault, injectFaults } from './chaos-faults.ts';
import { ChaosNode, pause } from './chaos-node.ts';
import { type ChaosVerdict, judge } from './chaos-verdict.ts';

export interface ChaosOptions {
  readonly nodes: number;
  readonly faults: number;
  readonly concurrentCalls: number;
  readonly everyMs: number;
  readonly seed: number;
  /** The first RTP port of the first node; the nodes follow each other in steps of 100. */
  readonly firstRtpPort: number;
}

export interface ChaosResult extends ChaosVerdict {
  readonly faults: readonly InjectedFault[];
  /** What is known of each call that a violation names: its caller, its row, its log lines, the faults during it. */
  readonly evidence: readonly object[];
  /** The last log lines of each node. */
  readonly logs: readonly string[];
}

/** Staged calls expire after 60 s; webhooks that failed are tried again within that time, too. */
const SETTLED_WITHIN_MS = 150_000;
const LOOK_MS = 500;

/** Calls on several nodes of one PostgreSQL, under random faults that the seed repeats. Bounded in time and count. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const folder = await serverFolder();
  const cleanUp: (() => unknown)[] = [() => removeServer(folder)];
  try {
    const server = await startServer(folder, CRASH_SAFE);
    await administrate(server, 'CREATE DATABASE chaos');
    const url = databaseOf(server, 'chaos');
    const hooks = await startEventReceiver();
    const providers = await startEmulatedProviders({
      listen: { steps: heardLine('I have a question.', 3_000, 4_000) },
    });
    cleanUp.push(hooks.close, providers.close);
    const environment = {
      ...providers.environment,
      TRUNKLINE_MASTER_KEY: 'ab'.repeat(32),
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
    };
    const nodes: ChaosNode[] = [];
    for (let nth = 0; nth < options.nodes; nth += 1) {
      const node = await ChaosNode.start(`${nth + 1}`, url, options.firstRtpPort + nth * 100, environment);
      cleanUp.push(() => node.stop());
      nodes.push(node);
    }
    const agent = await nodes[0]?.process.api.createAgent(
      talker({ recording: true, webhook_url: hooks.url, webhook_subscriptions: WEBHOOK_EVENT_TYPES }),
    );
    const calls = new ChaosCalls(nodes, agent?.id ?? '', seededRandom(options.seed));
    const load = calls.run(options.concurrentCalls);
    const faults = await injectFaults({
      nodes,
      faults: options.faults,
      everyMs: options.everyMs,
      random: seededRandom(options.seed + 1),
      stopPostgres: () => stopServer(folder),
      restartPostgres: (mode) => restartServer(folder, mode),
    });
    calls.stop();
    await load;
    const store = await postgresStore(url);
    cleanUp.push(() => store.close());
    await settled(store, hooks);
    const stored = await store.read();
    const verdict = await judge({ stored, calls, hooks, nodes, faults });
    const evidence = evidenceOf(verdict.violations, { stored, calls, nodes, faults });
    return { ...verdict, faults, evidence, logs: nodes.map(({ process }) => process.output()) };
  } finally {
    for (const close of cleanUp.reverse()) await close();
  }
}

/** Resolves when all calls are final and all webhooks delivered, or at the bound: then the verdict names what is missing. */
async function settled(
  store: Awaited<ReturnType<typeof postgresStore>>,
  hooks: Awaited<ReturnType<typeof startEventReceiver>>,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < SETTLED_WITHIN_MS; waitedMs += LOOK_MS) {
    const { calls, events } = await store.read();
    const isFinal = calls.every(
      ({ recording_complete, recording_path, status }) =>
        FINAL_STATUSES.includes(status) && (recording_path === null || recording_complete !== null),
    );
    const arrived = new Set(hooks.arrivals.map(({ id }) => id));
    if (isFinal && events.every(({ id }) => arrived.has(id))) return;
    await pause(LOOK_MS);
  }
}

const CALL_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** Faults that began this long before a call may have hit it, ms. */
const BEFORE_MS = 120_000;

interface Known {
  readonly stored: StoredCalls;
  readonly calls: ChaosCalls;
  readonly nodes: readonly ChaosNode[];
  readonly faults: readonly InjectedFault[];
}

function evidenceOf(violations: readonly string[], { calls, faults, nodes, stored }: Known): object[] {
  const ids = new Set(violations.flatMap((violation) => CALL_ID.exec(violation)?.[0] ?? []));
  return [...ids].map((id) => {
    const placed = calls.placed.find(({ callId }) => callId === id);
    const during = faults.filter(
      ({ atMs }) => placed !== undefined && atMs > placed.invitedAtMs - BEFORE_MS && atMs < placed.endedAtMs,
    );
    return {
      id,
      placed: placed === undefined ? null : { ...placed, node: placed.node.name },
      row: stored.calls.find((row) => row.id === id) ?? null,
      faults: during.map(({ node, ...fault }) => ({ ...fault, node: node?.name })),
      lines: nodes.flatMap(({ callLines, name }) => (callLines.get(id) ?? []).map((line) => `${name}: ${line}`)),
    };
  });
}

import { type ChaosNode, pause } from './chaos-node.ts';

export type FaultKind = 'kill' | 'stop' | 'partition_stall' | 'partition_cut' | 'postgres_restart' | 'postgres_outage';

export interface InjectedFault {
  readonly kind: FaultKind;
  readonly node: Pick<ChaosNode, 'name'> | null;
  readonly atMs: number;
  /** How long the fault lasts, ms: the process stands still, is down, or is cut off. */
  readonly lastsMs: number;
}

/** Longer than a lease (15 s) and the adoption after it. */
const LASTS_MS_MAX = 26_000;
/** Longer than a minute, so that each call in progress must keep its data for long. */
const OUTAGE_MS = 90_000;
const KINDS: readonly FaultKind[] = [
  'kill',
  'kill',
  'stop',
  'stop',
  'stop',
  'partition_stall',
  'partition_stall',
  'partition_cut',
  'partition_cut',
  'postgres_restart',
  'postgres_outage',
];

export interface FaultPlan {
  readonly nodes: readonly ChaosNode[];
  readonly faults: number;
  /** Mean time between two faults, ms. */
  readonly everyMs: number;
  readonly random: () => number;
  readonly stopPostgres: () => Promise<void>;
  /** Also starts one that was stopped. */
  readonly restartPostgres: (mode: 'fast' | 'immediate') => Promise<void>;
}

/** Faults of the database, which all nodes share. */
type DatabaseFaultKind = 'postgres_restart' | 'postgres_outage';

/**
 * Injects faults at random moments; several may overlap on different nodes, and one of PostgreSQL with them. One node at least is left
 * alone.
 */
export async function injectFaults(plan: FaultPlan): Promise<InjectedFault[]> {
  const { everyMs, faults, nodes, random } = plan;
  const injected: InjectedFault[] = [];
  const running = new Set<Promise<void>>();
  let isDatabaseDisturbed = false;
  while (injected.length < faults) {
    await pause(everyMs * (0.5 + random()));
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'kill';
    // Half of the faults are shorter than a lease.
    const shortMs = Math.round(LASTS_MS_MAX * random() * (random() < 0.5 ? 0.4 : 1));
    const calm = nodes.filter(({ isDisturbed }) => !isDisturbed);
    const node = calm[Math.floor(random() * calm.length)];
    const start = (lastsMs: number, disturbed: ChaosNode | null, fault: Promise<void>) => {
      injected.push({ kind, node: disturbed, atMs: Date.now(), lastsMs });
      running.add(fault);
      void fault.finally(() => running.delete(fault));
    };
    if (kind === 'postgres_restart' || kind === 'postgres_outage') {
      if (isDatabaseDisturbed) continue;
      isDatabaseDisturbed = true;
      const fault = disturbDatabase(kind, plan).finally(() => {
        isDatabaseDisturbed = false;
      });
      start(kind === 'postgres_outage' ? OUTAGE_MS : shortMs, null, fault);
    } else if (node !== undefined && calm.length >= 2) start(shortMs, node, disturbNode(kind, node, shortMs));
  }
  await Promise.all(running);
  return injected;
}

async function disturbDatabase(
  kind: DatabaseFaultKind,
  { random, restartPostgres, stopPostgres }: FaultPlan,
): Promise<void> {
  if (kind === 'postgres_outage') {
    await stopPostgres();
    await pause(OUTAGE_MS);
  }
  await restartPostgres(random() < 0.5 ? 'fast' : 'immediate');
}

async function disturbNode(
  kind: Exclude<FaultKind, DatabaseFaultKind>,
  node: ChaosNode,
  lastsMs: number,
): Promise<void> {
  node.isDisturbed = true;
  try {
    if (kind === 'kill') await node.kill(lastsMs);
    else if (kind === 'stop') await node.stall(lastsMs);
    else await node.partition(kind === 'partition_cut' ? 'cut' : 'stall', lastsMs);
  } finally {
    node.isDisturbed = false;
  }
}

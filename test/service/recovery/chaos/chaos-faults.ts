import { type ChaosNode, pause } from './chaos-node.ts';

export type FaultKind = 'kill' | 'stop' | 'partition_stall' | 'partition_cut' | 'postgres_restart';

export interface InjectedFault {
  readonly kind: FaultKind;
  readonly node: ChaosNode | null;
  readonly atMs: number;
  /** How long the fault lasts, ms: the process stands still, is down, or is cut off. */
  readonly lastsMs: number;
}

/** Longer than a lease (15 s) and the adoption after it. */
const LASTS_MS_MAX = 26_000;
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
];

export interface FaultPlan {
  readonly nodes: readonly ChaosNode[];
  readonly faults: number;
  /** Mean time between two faults, ms. */
  readonly everyMs: number;
  readonly random: () => number;
  readonly restartPostgres: (mode: 'fast' | 'immediate') => Promise<void>;
}

/** Injects faults at random moments; several may overlap on different nodes. One node at least is left alone. */
export async function injectFaults({
  everyMs,
  faults,
  nodes,
  random,
  restartPostgres,
}: FaultPlan): Promise<InjectedFault[]> {
  const injected: InjectedFault[] = [];
  const running = new Set<Promise<void>>();
  while (injected.length < faults) {
    await pause(everyMs * (0.5 + random()));
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'kill';
    // Half of the faults are shorter than a lease.
    const lastsMs = Math.round(LASTS_MS_MAX * random() * (random() < 0.5 ? 0.4 : 1));
    const calm = nodes.filter(({ isDisturbed }) => !isDisturbed);
    const node = kind === 'postgres_restart' ? null : (calm[Math.floor(random() * calm.length)] ?? null);
    if (kind !== 'postgres_restart' && (node === null || calm.length < 2)) continue;
    injected.push({ kind, node, atMs: Date.now(), lastsMs });
    const fault = inject(kind, node, lastsMs, () => restartPostgres(random() < 0.5 ? 'fast' : 'immediate'));
    running.add(fault);
    void fault.finally(() => running.delete(fault));
  }
  await Promise.all(running);
  return injected;
}

async function inject(
  kind: FaultKind,
  node: ChaosNode | null,
  lastsMs: number,
  restart: () => Promise<void>,
): Promise<void> {
  if (node === null) return restart();
  node.isDisturbed = true;
  try {
    if (kind === 'kill') await node.kill(lastsMs);
    else if (kind === 'stop') await node.stall(lastsMs);
    else await node.partition(kind === 'partition_cut' ? 'cut' : 'stall', lastsMs);
  } finally {
    node.isDisturbed = false;
  }
}

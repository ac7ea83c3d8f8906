import type { Clock } from '../../base/time/clock.ts';
import { pause } from '../../base/time/pause.ts';
import { idInUse, type NodeRepository } from '../storage/cluster/node-repository.ts';
import type { NodeIdentity } from './node-identity.ts';
import { BEAT_MS, LEASE_MS } from './node-lease.ts';

/** Interval of looks at the lease, ms. */
const LOOK_EVERY_MS = 250;
/** A running process renews its lease within this time, ms: its beat, and a renewal that takes a second. */
export const RENEWED_WITHIN_MS = BEAT_MS + 1_000;

/**
 * Takes the lease of this node. A valid lease is that of a process that was killed, or of one that runs on a copy of the data directory: the
 * latter renews it within `RENEWED_WITHIN_MS`, and would lose its calls to the recovery of this process. Rejects with a `DatabaseError`
 * (`locked`) in that case.
 */
export async function takeNodeLease(
  { id, startId }: Pick<NodeIdentity, 'id' | 'startId'>,
  nodes: Pick<NodeRepository, 'leaseUntilMs' | 'takeOver'>,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  const foundMs = await nodes.leaseUntilMs(id);
  if (foundMs !== null) await expectNoRenewal(id, foundMs, nodes, clock);
  await nodes.takeOver(id, LEASE_MS, startId);
}

async function expectNoRenewal(
  id: string,
  foundMs: number,
  nodes: Pick<NodeRepository, 'leaseUntilMs'>,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < RENEWED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    await pause(clock, LOOK_EVERY_MS);
    const untilMs = await nodes.leaseUntilMs(id);
    // It has expired, or its process has stopped.
    if (untilMs === null) return;
    if (untilMs !== foundMs) throw idInUse(id);
  }
}

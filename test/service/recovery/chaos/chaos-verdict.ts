import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FINAL_STATUSES } from '../../rig/api-client.ts';
import type { StoredCalls } from '../../rig/call-store.ts';
import type { EventReceiver } from '../../rig/event-receiver.ts';
import type { ChaosCalls, PlacedCall } from './chaos-calls.ts';
import type { InjectedFault } from './chaos-faults.ts';
import type { ChaosNode } from './chaos-node.ts';
import { callsWithRecording } from './disk-recordings.ts';

export interface ChaosVerdict {
  readonly calls: number;
  readonly answered: number;
  readonly nodeLost: number;
  readonly webhooks: number;
  /** Requests of webhooks that came more than once. */
  readonly repeatedWebhooks: number;
  /** Broken promises, one for each line. Empty: the run was right. */
  readonly violations: readonly string[];
  /** From a fault to the end of each call that another node closed, ms, the shortest first. */
  readonly takeoverMs: readonly number[];
}

export interface ChaosRecord {
  readonly stored: StoredCalls;
  readonly calls: Pick<ChaosCalls, 'placed' | 'staged'>;
  readonly hooks: Pick<EventReceiver, 'arrivals'>;
  readonly nodes: readonly JudgedNode[];
  readonly faults: readonly InjectedFault[];
}

type JudgedNode = Pick<ChaosNode, 'name' | 'dataDir' | 'lostWrites' | 'spooledAtKills' | 'unexpectedExits'>;

/** Judges a run after all faults are healed and all queues are empty. */
export async function judge({ calls, faults, hooks, nodes, stored }: ChaosRecord): Promise<ChaosVerdict> {
  const violations: string[] = [];
  for (const row of stored.calls) {
    if (!FINAL_STATUSES.includes(row.status)) violations.push(`call ${row.id} is ${row.status}`);
    const events = stored.events.filter(({ call_id: id }) => id === row.id);
    const ends = events.filter(({ type }) => type === 'event_call_ended').length;
    if (ends !== 1) violations.push(`call ${row.id} ended ${ends} times`);
    violations.push(...deliveryFaults(row.id, events, hooks));
    violations.push(...recordingFaults(row, events, nodes));
  }
  violations.push(...unrecordedCalls(calls, stored), ...(await lostRecordings(nodes, stored)));
  for (const { lostWrites, name } of nodes) for (const line of lostWrites) violations.push(`node ${name}: ${line}`);
  for (const call of calls.placed) if (isGhost(call)) violations.push(`call ${call.callId}: its caller got no BYE`);
  for (const call of calls.placed) {
    if (isForgotten(call, faults)) violations.push(`call ${call.callId}: its INVITE got no final response`);
  }
  for (const id of calls.staged) {
    if (!stored.calls.some((row) => row.id === id)) violations.push(`call ${id} is not stored`);
  }
  for (const node of nodes) if (node.unexpectedExits > 0) violations.push(`node ${node.name} exited by itself`);
  const lost = new Set(stored.calls.filter((row) => row.end_reason === 'node_lost').map(({ id }) => id));
  return {
    calls: stored.calls.length,
    answered: calls.placed.filter(({ isAnswered }) => isAnswered).length,
    nodeLost: lost.size,
    webhooks: hooks.arrivals.length,
    repeatedWebhooks: hooks.arrivals.length - new Set(hooks.arrivals.map(({ id }) => id)).size,
    violations,
    takeoverMs: calls.placed
      .filter((call) => lost.has(call.callId) && call.isAnswered && !call.hangsUp)
      .flatMap((call) => faultBefore(call, faults))
      .sort((a, b) => a - b),
  };
}

function isGhost({ endedBy, hangsUp, isAnswered }: PlacedCall): boolean {
  return isAnswered && !hangsUp && endedBy !== 'callee';
}

/** A process that is killed after its 100 (Trying) answers nothing more. */
function isForgotten(
  { endedAtMs, endedBy, invitedAtMs, isAnswered, node }: PlacedCall,
  faults: readonly InjectedFault[],
): boolean {
  if (isAnswered || endedBy !== 'ghost') return false;
  return !faults.some(
    ({ atMs, kind, node: killed }) => kind === 'kill' && killed === node && atMs >= invitedAtMs && atMs <= endedAtMs,
  );
}

function faultBefore({ answeredAtMs, endedAtMs, node }: PlacedCall, faults: readonly InjectedFault[]): number[] {
  const fault = faults.findLast(
    (one) => one.node === node && one.atMs <= endedAtMs && one.atMs + one.lastsMs >= answeredAtMs,
  );
  return fault === undefined ? [] : [endedAtMs - Math.max(fault.atMs, answeredAtMs)];
}

/** Each event arrived, first after the events before it. */
function deliveryFaults(callId: string, events: StoredCalls['events'], hooks: ChaosRecord['hooks']): string[] {
  const faults: string[] = [];
  const sequences = events.map(({ sequence }) => sequence);
  if (sequences.some((sequence, index) => sequence !== index + 1)) faults.push(`call ${callId}: gap in ${sequences}`);
  const first = new Map<string, number>();
  for (const { call_id: of, id, sequence } of hooks.arrivals)
    if (of === callId && !first.has(id)) first.set(id, sequence);
  const order = [...first.values()];
  if (order.some((sequence, index) => sequence !== index + 1)) faults.push(`call ${callId}: webhooks came as ${order}`);
  if (order.length !== events.length) faults.push(`call ${callId}: ${order.length} of ${events.length} webhooks came`);
  return faults;
}

/**
 * Answered calls without a recording. A call that its process did not end may lack what that process had not stored yet: it was closed
 * by another node, or after a restart. `lostRecordings` finds the audio that was on a disk.
 */
function unrecordedCalls({ placed }: ChaosRecord['calls'], { calls }: StoredCalls): string[] {
  const answered = new Set(placed.filter(({ isAnswered }) => isAnswered).map(({ callId }) => callId));
  return calls
    .filter((row) => answered.has(row.id) && row.adopted_by === null && row.end_reason !== 'shutdown')
    .filter((row) => row.recording_path === null)
    .map(({ id }) => `call ${id}: it was answered, and has no recording`);
}

function recordingFaults(
  row: StoredCalls['calls'][number],
  events: StoredCalls['events'],
  nodes: readonly JudgedNode[],
): string[] {
  const { id, recording_complete: complete, recording_path: path } = row;
  if (path === null) return [];
  const ready = events.filter(({ type }) => type === 'event_recording_ready').length;
  const isOnDisk = nodes.some(({ dataDir }) => existsSync(join(dataDir, path)));
  const faults: string[] = [];
  if (complete === null) faults.push(`call ${id}: its recording was never finished`);
  if (ready !== 1) faults.push(`call ${id}: its recording was reported ${ready} times`);
  if (!isOnDisk) faults.push(`call ${id}: its recording is on no disk`);
  return faults;
}

/** Audio that was on a disk at a kill, and recordings on the disks now, of which no row has the path. */
async function lostRecordings(nodes: readonly JudgedNode[], { calls }: StoredCalls): Promise<string[]> {
  const named = new Set(calls.filter((row) => row.recording_path !== null).map(({ id }) => id));
  const faults: string[] = [];
  for (const node of nodes) {
    const onDisk = await callsWithRecording(node.dataDir);
    for (const id of onDisk) {
      if (!named.has(id)) faults.push(`call ${id}: no row names its recording on node ${node.name}`);
    }
    for (const id of node.spooledAtKills) {
      if (!named.has(id) && !onDisk.has(id))
        faults.push(`call ${id}: its recording is lost after a kill of node ${node.name}`);
    }
  }
  return faults;
}

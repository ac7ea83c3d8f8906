import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { Log } from '../../log/log.ts';
import type { LogFields } from '../../log/log-event-catalogue.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { type CallEnd, durationSeconds } from '../../storage/calls/call-repository.ts';

/** The one line at the start of a call. */
export function logCallStart(
  log: Pick<Log, 'info'>,
  call: Pick<CallRecord, 'direction' | 'type' | 'fromNumber' | 'toNumber' | 'agentId'>,
  route: Pick<LogFields['call started'], 'leg' | 'trunk_id'>,
): void {
  const { agentId, direction, fromNumber, toNumber, type } = call;
  log.info({ direction, type, from: fromNumber, to: toNumber, agent_id: agentId, ...route }, 'call started');
}

/** The contents of the last log line of a call. */
export interface CallSummary {
  readonly reason: string;
  readonly detail?: string | undefined;
  /** Null for a call that was never answered, ms since 1970. */
  readonly answeredMs: number | null;
  readonly endedMs: number;
  readonly turns: number;
  readonly cost: number;
}

/** The one line at the end of a call. */
export function logCallEnd(log: Pick<Log, 'info'>, summary: CallSummary): void {
  const { answeredMs, cost, detail, endedMs, reason, turns } = summary;
  const duration = answeredMs === null ? 0 : durationSeconds(answeredMs, endedMs);
  log.info({ reason, ...(detail !== undefined && { detail }), duration_seconds: duration, turns, cost }, 'call ended');
}

/** The last line of a call whose process or node was lost, in the log of the process or node that ends it. */
export function logOrphanEnd(
  log: Pick<Log, 'warn'>,
  { nodeId, startMs }: Pick<CallRecord, 'nodeId' | 'startMs'>,
  { atMs, endDetail, endReason }: Pick<CallEnd, 'atMs' | 'endDetail' | 'endReason'>,
): void {
  const fields = {
    reason: endReason,
    ...(typeof endDetail === 'string' && { detail: endDetail }),
    duration_seconds: startMs === null ? 0 : durationSeconds(startMs, atMs),
    ...(endReason === 'node_lost' && nodeId !== null && { lost_node_id: nodeId }),
  };
  log.warn(fields, 'call ended');
}

/** Logs the transfers among a call's journal entries. */
export function logTransfer(log: Pick<Log, 'info' | 'warn'>, entry: JournalEntry): void {
  if (entry.type !== 'transfer') return;
  const { destination, mode, phase, reason } = entry;
  if (phase === 'started') log.info({ destination, mode }, 'transfer started');
  else if (phase === 'completed') log.info({ destination, mode }, 'transfer completed');
  else log.warn({ destination, mode, ...(reason !== undefined && { reason }) }, 'transfer failed');
}

import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { Log } from '../../log/log.ts';
import type { LogFields } from '../../log/log-event-catalogue.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { durationSeconds } from '../../storage/calls/call-repository.ts';

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
  /** Null: they were lost with the process or the node of the call. */
  readonly totals: { readonly turns: number; readonly cost: number } | null;
  /** The node that was lost, of a call that another node has ended. */
  readonly lostNodeId?: string | null;
}

/** The one line at the end of a call, in the log of the process that ends it. A warning if the process or the node of the call was lost. */
export function logCallEnd(log: Pick<Log, 'info' | 'warn'>, summary: CallSummary): void {
  const { answeredMs, detail, endedMs, lostNodeId = null, reason, totals } = summary;
  const fields = {
    reason,
    ...(detail !== undefined && { detail }),
    duration_seconds: answeredMs === null ? 0 : durationSeconds(answeredMs, endedMs),
    ...totals,
    ...(lostNodeId !== null && { lost_node_id: lostNodeId }),
  };
  if (totals === null) log.warn(fields, 'call ended');
  else log.info(fields, 'call ended');
}

/** Logs the transfers among a call's journal entries. */
export function logTransfer(log: Pick<Log, 'info' | 'warn'>, entry: JournalEntry): void {
  if (entry.type !== 'transfer') return;
  const { destination, mode, phase, reason } = entry;
  if (phase === 'started') log.info({ destination, mode }, 'transfer started');
  else if (phase === 'completed') log.info({ destination, mode }, 'transfer completed');
  else log.warn({ destination, mode, ...(reason !== undefined && { reason }) }, 'transfer failed');
}

import type { CallFilter } from '../call-search/call-filter.ts';
import type { CallStatus } from '../schema/call-status.ts';
import { type CallTable, NO_AGENT } from '../schema/tables.ts';

/** The columns that a list of running calls shows: few bytes, because it is read again and again. */
export const RUNNING_COLUMNS = [
  'id',
  'agent_id',
  'agent_version',
  'type',
  'direction',
  'status',
  'from_number',
  'to_number',
  'created_ms',
  'start_ms',
  'listed_us',
] as const;

/** The filters of a list of running calls. Both apply; an absent one does not. */
export type RunningCallFilter = Pick<CallFilter, 'agentId' | 'type'>;

/** See `CallRecord`. */
export interface RunningCall {
  readonly id: string;
  readonly agentId: string | null;
  readonly agentVersion: number;
  readonly type: 'phone_call' | 'web_call';
  readonly direction: 'inbound' | 'outbound';
  readonly status: CallStatus;
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  readonly createdMs: number;
  readonly startMs: number | null;
  /** Its place among the calls of the organization: the newest call has the highest. */
  readonly listedUs: number;
}

export function readRunningCall(row: Pick<CallTable, (typeof RUNNING_COLUMNS)[number]>): RunningCall {
  return {
    id: row.id,
    agentId: row.agent_id === NO_AGENT ? null : row.agent_id,
    agentVersion: row.agent_version,
    type: row.type === 'web_call' ? 'web_call' : 'phone_call',
    direction: row.direction === 'outbound' ? 'outbound' : 'inbound',
    status: row.status as CallStatus,
    fromNumber: row.from_number,
    toNumber: row.to_number,
    createdMs: row.created_ms,
    startMs: row.start_ms,
    listedUs: row.listed_us,
  };
}

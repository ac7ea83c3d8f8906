import { join } from 'node:path';
import type { Clock } from '../../../base/time/clock.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { Log } from '../../log/log.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallEnd, CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import { persist, TRIES_MAX } from '../../storage/database/persist.ts';
import { logCallEnd } from '../live/call-log-lines.ts';
import { type LeftRecordingOptions, recoverUnansweredRecording } from '../recording/left-recordings.ts';
import { recoverRecording } from '../recording/recording-recovery.ts';
import type { StagedCalls } from '../staging/staged-calls.ts';

/** Distinguishes a killed or crashed process from one that was stopped: an orderly stop has no detail. */
const LOST = {
  shutdown: 'the service was killed or crashed',
  node_lost: 'the node of the call was lost',
} as const;

export interface RecoveryOptions {
  readonly calls: Pick<CallRepository, 'callsInFlight' | 'endedWithDialogs' | 'finish' | 'adopt' | 'forgetDialogs'>;
  readonly journal: Pick<JournalRepository, 'transcript'>;
  readonly staging: Pick<StagedCalls, 'watch'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly endOrphan: (recovery: DialogRecovery) => Promise<void>;
  /** Repairs the header of a recording that was cut off; returns its length in ms. */
  readonly repairRecording: (path: string) => Promise<number | null>;
  readonly callLog: (callId: string) => Pick<Log, 'info' | 'warn'>;
  readonly onFault: (callId: string, error: unknown) => void;
  /** The end of a call of a dead process or node is stored. */
  readonly onClosed: (callId: string) => void;
}

export interface OrphanedCallOptions extends RecoveryOptions, LeftRecordingOptions {
  readonly calls: RecoveryOptions['calls'] & LeftRecordingOptions['calls'];
  readonly clock: Clock;
}

/**
 * Ends an orphaned call of a dead node, as `node_lost`; true if no other node did, and its own node has not come back. Before that is
 * certain no file is changed: the own node may still write it. Then a recording within reach is finished; one on the dead node's own
 * disk is finished there after its restart. The peers get their BYE after the end, without waiting: a response may take half a minute,
 * and a peer may ignore another address. Until then the row keeps the dialogs: if this node dies too, the BYEs are sent after the
 * restart of the node that began the call. Rejects with a `DatabaseError`; then the next check finds the call again.
 */
export async function closeOrphanedCall(call: CallRecord, options: OrphanedCallOptions): Promise<boolean> {
  const recordedMs = await lengthOf(call, options.measureRecording, options);
  const end = await endOf(call, 'node_lost', recordedMs, options);
  if (!(await options.calls.adopt(call, { ...end, keepsDialogs: true }))) return false;
  void forgetDialogsAfter(endDialogs(call, options), call, options);
  if (call.recordingPath !== null) await recoverRecording(call, options, TRIES_MAX);
  if (call.startMs === null) await recoverUnansweredRecording(call, options);
  close(call, end, options);
  return true;
}

/** Ends the dialogs of both legs. Never rejects. */
async function endDialogs({ id, dialog, bridgedDialog }: CallRecord, options: RecoveryOptions): Promise<void> {
  const dialogs = [dialog, bridgedDialog].filter((orphan) => orphan !== null);
  await Promise.all(dialogs.map((orphan) => options.endOrphan(orphan).catch((error) => options.onFault(id, error))));
}

/**
 * Runs after a start: ends every call that a dead process left, once. Its peers get a BYE, and its records stay. Staged calls continue
 * with the deadline of their row. Resolves once these calls are known; new calls may begin from then on. `ended`: the number of ended
 * calls, once their ends are stored; no BYE is waited for.
 */
export async function recoverCalls(options: RecoveryOptions): Promise<{ readonly ended: Promise<number> }> {
  // Those whose BYEs were in progress when a process that recovered them crashed too. Read before `recover` adds its own.
  const pending = await options.calls.endedWithDialogs();
  const left = await options.calls.callsInFlight();
  for (const call of pending) void forgetDialogsAfter(endDialogs(call, options), call, options);
  const outcomes = left.map((call) =>
    recover(call, options).catch((error: unknown) => {
      options.onFault(call.id, error);
      return false;
    }),
  );
  return { ended: Promise.all(outcomes).then((ended) => ended.filter(Boolean).length) };
}

async function recover(call: CallRecord, options: RecoveryOptions): Promise<boolean> {
  if (call.status === 'staged' && call.stagingDeadlineMs !== null) {
    options.staging.watch(call.id, call.stagingDeadlineMs);
    return false;
  }
  // A silent peer takes 32 s. Its end is stored while the BYEs wait; the row keeps the dialogs, so that after a second crash the BYEs are sent again.
  const byes = endDialogs(call, options);
  const recordedMs = await lengthOf(call, options.repairRecording, options);
  const end = await persist(() => endOf(call, 'shutdown', recordedMs, options));
  // `finishLeftRecordings` stores the event of its recording, once recording URLs are known.
  const ended = await persist(() => options.calls.finish(call.id, { ...end, keepsDialogs: true }));
  void forgetDialogsAfter(byes, call, options);
  if (ended) close(call, end, options);
  return ended;
}

/** The process or node that began the call can log and count its end no longer: the one that stored it does. */
function close(
  { id, nodeId, startMs }: CallRecord,
  { atMs, endDetail, endReason }: CallEnd,
  { callLog, onClosed }: RecoveryOptions,
): void {
  logCallEnd(callLog(id), {
    reason: endReason,
    detail: endDetail,
    answeredMs: startMs,
    endedMs: atMs,
    totals: null,
    ...(endReason === 'node_lost' && { lostNodeId: nodeId }),
  });
  onClosed(id);
}

/** Never rejects. After a failure the next start sends the BYEs again, which the peers refuse with 481. */
async function forgetDialogsAfter(
  byes: Promise<void>,
  { id, dialog, bridgedDialog }: CallRecord,
  { calls, onFault }: RecoveryOptions,
): Promise<void> {
  if (dialog === null && bridgedDialog === null) return;
  await byes;
  await calls.forgetDialogs(id).catch((error: unknown) => onFault(id, error));
}

async function endOf(
  call: CallRecord,
  endReason: 'shutdown' | 'node_lost',
  recordedMs: number | null,
  options: RecoveryOptions,
): Promise<CallEnd> {
  const atMs = await lastSignOfLife(call, recordedMs ?? 0, options);
  const status = call.startMs === null ? 'failed' : 'completed';
  const silentSeconds = Math.max(0, Math.round((options.clock.wallMs() - atMs) / 1_000));
  const endDetail = `${LOST[endReason]}, found ${silentSeconds} s after the last record of the call`;
  return { status, endReason, endDetail, atMs, patch: { metrics: { ...call.metrics, end_detail: endDetail } } };
}

/** The length of the recording, ms; null if there is none. */
async function lengthOf(
  call: CallRecord,
  measure: (path: string) => Promise<number | null>,
  options: RecoveryOptions,
): Promise<number | null> {
  if (call.recordingPath === null) return null;
  try {
    return await measure(join(options.dataDir, call.recordingPath));
  } catch (error) {
    options.onFault(call.id, error);
    return null;
  }
}

/** The time of the crash is unknown. The call ended no earlier than its last stored record. */
async function lastSignOfLife(call: CallRecord, recordedMs: number, { journal }: RecoveryOptions): Promise<number> {
  const entries = await journal.transcript(call.id);
  const lastUs = entries.reduce((last, entry) => Math.max(last, entry.endUs ?? entry.startUs), 0);
  const beganMs = call.startMs ?? call.createdMs;
  return Math.max(beganMs + Math.round(recordedMs), Math.round(lastUs / 1000));
}

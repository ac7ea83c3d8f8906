import { describe, expect, it, onTestFinished } from 'vitest';
import type { KeptJournalEntry } from '../../../../src/calls/host/call-host.ts';
import { CallWriter } from '../../../../src/calls/journal/call-writer.ts';
import { recoverRecordings } from '../../../../src/calls/recording/recording-recovery.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import { type CommitCutter, startCommitCutter } from '../../../postgres/commit-cutter.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../../postgres/temporary-postgres.ts';
import { newCall, START_MS, storeAgent, temporaryPostgres } from '../../storage/temporary-database.ts';

const line = (sequence: number): KeptJournalEntry => ({
  type: 'transcript',
  entry: { role: 'user', sequence, startUs: 0, endUs: 0, content: `Line ${sequence}.` },
});

describe.skipIf(!hasPostgres())('a connection that is lost after each COMMIT', () => {
  async function callBehindCutter(): Promise<{ repositories: Repositories; cutter: CommitCutter; callId: string }> {
    const cutter = await startCommitCutter(await temporaryPostgresUrl());
    onTestFinished(() => cutter.close());
    const database = await temporaryPostgres(cutter.url);
    const repositories = createRepositories(database);
    const call = newCall(await storeAgent(database), { status: 'ringing' });
    await repositories.calls.createCall(call);
    return { repositories, cutter, callId: call.id };
  }
  const eventsOf = async (repositories: Repositories, callId: string) =>
    (await repositories.callEvents.after(callId, 0, 100)).map(({ type, sequence }) => [sequence, type]);

  it('stores each event of a call once: journal, statuses, recording and end', async () => {
    const { repositories, cutter, callId } = await callBehindCutter();
    const { calls, journal } = repositories;
    const lost: string[] = [];
    const options = { callId, calls, journal, startedWallMs: START_MS, onStored: () => {} };
    const writer = new CallWriter({ ...options, onRefused: () => undefined, onLost: (write) => lost.push(write) });
    const writes = [
      () => writer.setStatus({ from: ['ringing'], to: 'in_progress', atMs: START_MS }),
      () => [line(1), line(2)].forEach((entry) => void writer.write(entry)),
      () => {
        const data = { recording_url: 'x', duration_seconds: 1, complete: true };
        writer.update({ recordingComplete: true }, [
          { id: crypto.randomUUID(), type: 'event_recording_ready', data, atMs: 0 },
        ]);
      },
      () => writer.finish({ status: 'completed', endReason: 'caller_hangup', atMs: START_MS }),
    ];
    for (const [at, write] of writes.entries()) {
      cutter.cutNext(1);
      write();
      await writer.flushed();
      expect(cutter.cut, 'commits without a response').toBe(at + 1);
    }
    expect(lost).toEqual([]);
    expect(await eventsOf(repositories, callId)).toEqual([
      [1, 'event_call_status_changed'],
      [2, 'event_call_started'],
      [3, 'event_transcript_updated'],
      [4, 'event_transcript_updated'],
      [5, 'event_recording_ready'],
      [6, 'event_call_status_changed'],
      [7, 'event_call_ended'],
    ]);
    expect((await journal.transcript(callId)).map(({ content }) => content)).toEqual(['Line 1.', 'Line 2.']);
  });

  it('stores one event for a recording that a crashed process left', async () => {
    const { repositories, cutter, callId } = await callBehindCutter();
    const { calls } = repositories;
    await calls.update(callId, { recordingPath: 'recordings/x.wav' });
    const unfinished = await calls.callsWithUnfinishedRecording();
    const faults: unknown[] = [];
    cutter.cutNext(1);
    await recoverRecordings(unfinished, {
      node: { id: null },
      calls,
      journal: repositories.journal,
      clock: { wallMs: () => START_MS },
      dataDir: '/nowhere',
      repairRecording: async () => 1_000,
      recordingUrl: () => 'http://recording',
      onFault: (_id, error) => faults.push(error),
    });
    expect(cutter.cut).toBe(1);
    expect(faults).toEqual([]);
    expect(await eventsOf(repositories, callId)).toEqual([[1, 'event_recording_ready']]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeptJournalEntry } from '../../../../src/calls/host/call-host.ts';
import { CallWriter } from '../../../../src/calls/journal/call-writer.ts';
import { GATHER_MS, JournalGathering } from '../../../../src/calls/journal/journal-gathering.ts';
import { TRIES_MAX } from '../../../../src/storage/database/persist.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';

/** The longest pause between two tries of a write, ms. */
const RETRY_MS_MAX = 8_000;
/** Journal entries of one call that wait for the database. */
const ENTRIES_MAX = 20_000;

/** Transactions in order: the sequence numbers of their transcript entries, or the name of another write. */
let written: (readonly number[] | string)[];
let failures: number;
/** The database does not answer before this time of the simulated clock, ms. */
let awayUntilMs: number;
/** Another node has closed the call. */
let adopted: boolean;
let refusals: number;
let gathering: JournalGathering;
let writer: CallWriter;

function createWriter(callId: string): CallWriter {
  const write = (transaction: readonly number[] | string): Promise<void> => {
    if (Date.now() < awayUntilMs) return Promise.reject(new DatabaseError('unavailable', 'connection refused'));
    if (failures-- > 0) return Promise.reject(new Error('the disk is unavailable'));
    written.push(transaction);
    return Promise.resolve();
  };
  return new CallWriter({
    callId,
    calls: {
      setStatus: (_id, { to }) => write(to).then(() => true),
      finish: (_id, { status }) => write(status).then(() => true),
      update: () => write('fields').then(() => !adopted),
      storeRecording: () => write('recording').then(() => true),
    },
    journal: {
      appendJournal: (_id, { entries }) =>
        write(entries.flatMap((entry) => (entry.type === 'transcript' ? [entry.entry.sequence] : []))).then(
          () => !adopted,
        ),
    },
    startedWallMs: 0,
    gathering,
    onStored: () => undefined,
    onRefused: () => {
      refusals++;
    },
    onLost: (transaction) => written.push(`lost ${transaction}`),
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  failures = 0;
  awayUntilMs = 0;
  adopted = false;
  refusals = 0;
  gathering = new JournalGathering();
  writer = createWriter('c');
});

afterEach(() => {
  vi.useRealTimers();
});

function transcriptEntry(sequence: number): KeptJournalEntry {
  return { type: 'transcript', entry: { role: 'user', sequence, startUs: 0, endUs: 0, content: 'Yes.' } };
}

describe('the writer of a call', () => {
  it('shares one transaction among the entries of 50 ms', async () => {
    writer.write(transcriptEntry(1));
    await vi.advanceTimersByTimeAsync(30);
    writer.write(transcriptEntry(2));
    await vi.advanceTimersByTimeAsync(19);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(written).toEqual([[1, 2]]);
    writer.write(transcriptEntry(3));
    await vi.advanceTimersByTimeAsync(50);
    expect(written).toEqual([[1, 2], [3]]);
  });

  it('writes together with the other calls that wait, and waits no longer for them', async () => {
    const other = createWriter('d');
    writer.write(transcriptEntry(1));
    await vi.advanceTimersByTimeAsync(GATHER_MS - 10);
    other.write(transcriptEntry(2));
    await vi.advanceTimersByTimeAsync(9);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(written).toEqual([[1], [2]]);
  });

  it('lets the other calls wait on when one writes at once', async () => {
    const other = createWriter('d');
    writer.write(transcriptEntry(1));
    other.write(transcriptEntry(2));
    await writer.flushed();
    expect(written).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    expect(written).toEqual([[1], [2]]);
  });

  it('writes a status change at once, after the entries before it', async () => {
    writer.write(transcriptEntry(1));
    await vi.advanceTimersByTimeAsync(10);
    writer.setStatus({ to: 'in_progress', from: ['ringing'], atMs: 0 });
    writer.write(transcriptEntry(2));
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toEqual([[1], 'in_progress']);
    await vi.advanceTimersByTimeAsync(50);
    expect(written).toEqual([[1], 'in_progress', [2]]);
  });

  it('reports that another node has closed the call, and still stores its recording', async () => {
    adopted = true;
    writer.update({ answerType: 'human' });
    writer.recorded({ recordingComplete: true });
    await writer.flushed();
    expect({ written, refusals }).toEqual({ written: ['fields', 'recording'], refusals: 1 });
    writer.write(transcriptEntry(1));
    await writer.flushed();
    expect(refusals).toBe(2);
  });

  it('flushes at once at the end of the call', async () => {
    writer.write(transcriptEntry(1));
    await vi.advanceTimersByTimeAsync(10);
    await writer.flushed();
    expect(written).toEqual([[1]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('retries in order while the disk fails', async () => {
    failures = 2;
    writer.write(transcriptEntry(1));
    writer.finish({ status: 'completed', endReason: 'agent_hangup', atMs: 0 });
    await vi.advanceTimersByTimeAsync(249);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual([[1], 'completed']);
  });

  it.each([
    ['80 s', 80_000],
    ['an hour', 3_600_000],
  ])('loses nothing of a call to a database that is unreachable for %s', async (_name, outageMs) => {
    awayUntilMs = Date.now() + outageMs;
    writer.write(transcriptEntry(0));
    await vi.advanceTimersByTimeAsync(GATHER_MS);
    writer.update({ sipCallId: 'a dialog' });
    writer.setStatus({ to: 'in_progress', from: ['ringing'], atMs: 0, patch: { startMs: 0, recordingPath: 'r' } });
    writer.write(transcriptEntry(1));
    writer.finish({ status: 'completed', endReason: 'agent_hangup', atMs: 0 });
    writer.recorded({ recordingComplete: true });
    await vi.advanceTimersByTimeAsync(outageMs - GATHER_MS - 1);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(RETRY_MS_MAX);
    expect(written).toEqual([[0], 'fields', 'in_progress', [1], 'completed', 'recording']);
  });

  it('keeps at most 20,000 journal entries of a call, and reports each that it drops', async () => {
    awayUntilMs = Date.now() + 80_000;
    writer.update({ answerType: 'human' });
    // The first write has left the queue.
    await vi.advanceTimersByTimeAsync(0);
    for (let sequence = 0; sequence < ENTRIES_MAX + 2; sequence++) writer.write(transcriptEntry(sequence));
    expect(written).toEqual(['lost transcript', 'lost transcript']);
    writer.finish({ status: 'completed', endReason: 'agent_hangup', atMs: 0 });
    await vi.advanceTimersByTimeAsync(80_000 + RETRY_MS_MAX);
    expect(written.at(-1)).toBe('completed');
    expect(written.flatMap((one) => (typeof one === 'string' ? [] : one))).toHaveLength(ENTRIES_MAX);
  });

  it('drops a write that the database refuses, and stores those after it', async () => {
    failures = TRIES_MAX;
    writer.write(transcriptEntry(1));
    writer.finish({ status: 'completed', endReason: 'agent_hangup', atMs: 0 });
    await vi.runAllTimersAsync();
    expect(written).toEqual(['lost journal', 'completed']);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callAfterEvents } from '../../console/src/call/live/call-after-events.ts';
import { PacedReads, READ_INTERVAL_MS } from '../../console/src/call/live/paced-reads.ts';
import type { TranscriptEntry } from '../../console/src/generated/client.ts';

function entry(sequence: number, second: number, content: string): TranscriptEntry {
  const start_time = new Date(second * 1_000).toISOString();
  return { role: 'user', sequence, start_time, end_time: null, content };
}

function update(one: TranscriptEntry) {
  return { id: '', type: 'event_transcript_updated', data: JSON.stringify({ data: { entry: one } }) };
}

describe('a running call in the page', () => {
  it('has the transcript entries of its events, new and changed ones, by their start', () => {
    const call = { transcript: [entry(1, 1, 'Good day.'), entry(2, 5, 'I')] };
    const after = callAfterEvents(call, [
      update(entry(2, 5, 'I need')),
      update(entry(4, 3, 'Hello?')),
      update(entry(3, 7, 'A table?')),
      update(entry(2, 5, 'I need a table.')),
    ]);
    expect(after.transcript.map(({ content }) => content)).toEqual([
      'Good day.',
      'Hello?',
      'I need a table.',
      'A table?',
    ]);
  });

  it('does not change with events that carry no entry', () => {
    const call = { transcript: [entry(1, 1, 'Good day.')] };
    expect(callAfterEvents(call, [{ id: '', type: 'event_state_changed', data: '{"data":{}}' }])).toBe(call);
  });
});

describe('the reads of a running call', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are at most one in an interval, however many events arrive', () => {
    const read = vi.fn();
    const reads = new PacedReads(read);
    for (let ms = 0; ms < 10 * READ_INTERVAL_MS; ms += 100) {
      reads.soon();
      vi.advanceTimersByTime(100);
    }
    expect(read).toHaveBeenCalledTimes(10);
    vi.advanceTimersByTime(READ_INTERVAL_MS);
    expect(read).toHaveBeenCalledTimes(10);
  });

  it('are made at once for a rare event, which serves those that wait', () => {
    const read = vi.fn();
    const reads = new PacedReads(read);
    reads.soon();
    reads.now();
    expect(read).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(READ_INTERVAL_MS);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('end with the page', () => {
    const read = vi.fn();
    const reads = new PacedReads(read);
    reads.soon();
    reads.stop();
    vi.advanceTimersByTime(READ_INTERVAL_MS);
    expect(read).not.toHaveBeenCalled();
  });
});

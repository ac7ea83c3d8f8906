import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listAfter, RunningList } from '../../console/src/calls/running-list.ts';
import type { RunningCall } from '../../console/src/generated/client.ts';

const EMPTY: ReadonlyMap<string, RunningCall> = new Map();
/** Longer than the interval of two drawings. */
const DRAWN_MS = 1_000;

function call(id: string, second: number, state = 'greeting'): RunningCall {
  return {
    id,
    status: 'in_progress',
    type: 'phone_call',
    direction: 'inbound',
    from_number: '+15550100',
    to_number: '+15550101',
    agent_id: null,
    agent_version: null,
    created_at: new Date(second * 1_000).toISOString(),
    start_time: null,
    activity: 'listening',
    state,
    response_ms: null,
  };
}

function event(type: 'calls' | 'changes', calls: readonly RunningCall[], ended: readonly string[] = []) {
  return { id: '', type, data: JSON.stringify({ calls, ended }) };
}

describe('the list of running calls in the page', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('adds new calls, updates changed ones and drops those that ended', () => {
    const list = listAfter(EMPTY, [
      event('calls', [call('a', 1), call('b', 2)]),
      event('changes', [call('a', 1, 'booking'), call('c', 3)], ['b']),
    ]);
    expect([...list.values()].map(({ id, state }) => `${id} ${state}`)).toEqual(['a booking', 'c greeting']);
  });

  it('drops calls that ended while the connection was lost', () => {
    const before = listAfter(EMPTY, [event('calls', [call('a', 1), call('b', 2)])]);
    expect([...listAfter(before, [event('calls', [call('b', 2)])]).keys()]).toEqual(['b']);
  });

  it('shows the newest call first', () => {
    const list = new RunningList();
    list.receive([event('calls', [call('new', 9), call('old', 1)]), event('changes', [call('middle', 5)])]);
    vi.advanceTimersByTime(DRAWN_MS);
    expect(list.view.calls?.map(({ id }) => id)).toEqual(['new', 'middle', 'old']);
  });

  it('is drawn at most four times a second, however many messages arrive', () => {
    const list = new RunningList();
    const draw = vi.fn();
    list.listen(draw);
    list.connected(true);
    for (let at = 0; at < 10_000; at++) {
      list.receive([event('changes', [call(`${at % 500}`, at)])]);
      vi.advanceTimersByTime(6);
    }
    vi.advanceTimersByTime(DRAWN_MS);
    expect(list.view).toMatchObject({ isConnected: true, calls: { length: 500 } });
    expect(draw.mock.calls.length).toBeLessThanOrEqual(60 * 4);
  });
});

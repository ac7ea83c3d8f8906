import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runningEventsPath } from '../../console/src/calls/running-filter.ts';
import { type KnownRunningCalls, listAfter, RunningList } from '../../console/src/calls/running-list.ts';
import type { RunningCall } from '../../console/src/generated/client.ts';

const EMPTY: KnownRunningCalls = { byId: new Map(), isTruncated: false };
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
  return { id: '', type, data: JSON.stringify({ calls, ended, truncated: false }) };
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
    expect([...list.byId.values()].map(({ id, state }) => `${id} ${state}`)).toEqual(['a booking', 'c greeting']);
  });

  it('drops calls that ended while the connection was lost', () => {
    const before = listAfter(EMPTY, [event('calls', [call('a', 1), call('b', 2)])]);
    expect([...listAfter(before, [event('calls', [call('b', 2)])]).byId.keys()]).toEqual(['b']);
  });

  it('drops calls whose places newer ones take, and knows that more run', () => {
    const before = listAfter(EMPTY, [event('calls', [call('a', 1), call('b', 2)])]);
    const data = JSON.stringify({ calls: [call('c', 3)], ended: [], left_out: ['a'], truncated: true });
    const after = listAfter(before, [{ id: '', type: 'changes', data }]);
    expect([[...after.byId.keys()], after.isTruncated]).toEqual([['b', 'c'], true]);
    const later = listAfter(after, [event('changes', [], ['c'])]);
    expect([[...later.byId.keys()], later.isTruncated]).toEqual([['b'], false]);
  });

  it.each([
    [{}, ''],
    [{ agent: 'a' }, '?agent_id=a'],
    [{ agent: 'a', type: 'web_call' }, '?agent_id=a&type=web_call'],
  ] as const)('asks the service for %j', (filter, query) => {
    expect(runningEventsPath(filter)).toBe(`/v1/calls/running/events${query}`);
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

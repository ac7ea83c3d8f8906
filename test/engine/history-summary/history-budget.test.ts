import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { fitHistory, HISTORY_CHARACTERS_MAX, historySize } from '../../../engine/history-summary/history-budget.ts';

/** A history item of `size` characters, of which 16 are the item's fixed share. */
const userItem = (size: number): HistoryItem => ({ type: 'user', id: 0, text: 'x'.repeat(size - 16) });
const resultItem = (size: number): HistoryItem => ({
  type: 'result',
  id: 0,
  toolCallId: 'call_1',
  content: 'x'.repeat(size - 16),
});
const agentItem = (size: number): HistoryItem => ({
  type: 'agent',
  id: 0,
  text: 'x'.repeat(size - 16),
  playedText: null,
  calls: [],
  entry: null,
});

function droppedCount(history: readonly HistoryItem[], otherSize = 0): number {
  const fitted = fitHistory(history, otherSize);
  expect(fitted.dropped).toEqual(history.slice(0, fitted.dropped.length));
  expect(fitted.kept).toHaveLength(history.length - fitted.dropped.length);
  return fitted.dropped.length;
}

describe('the size of a history', () => {
  it('counts all characters that the model gets, and a fixed share for each item', () => {
    const itemWithCalls: HistoryItem = {
      type: 'agent',
      id: 0,
      text: 'One moment please.',
      playedText: 'One moment',
      calls: [
        { id: 'a', name: 'lookup', arguments: '{}' },
        { id: 'b', name: 'hang_up', arguments: '' },
      ],
      entry: null,
    };
    expect(historySize([userItem(20), resultItem(30), agentItem(40), itemWithCalls])).toBe(90 + 16 + 10 + 8 + 7);
    expect(historySize([])).toBe(0);
  });
});

describe('a history over its budget', () => {
  it('is larger than the budget minus the size of the rest of the request', () => {
    const history = [userItem(HISTORY_CHARACTERS_MAX - 1_000), agentItem(400), userItem(100), agentItem(500)];
    expect(droppedCount(history)).toBe(0);
    expect(fitHistory(history, 0).kept).toBe(history);
    expect(droppedCount(history, 1)).toBe(2);
  });

  it('loses its oldest turns until it fits half of the budget', () => {
    const turns = (count: number, size: number) =>
      Array.from({ length: count }, () => [userItem(size / 2), agentItem(size / 2)]).flat();
    // Of 97 turns with 1,000 characters each, 48 are kept.
    expect(droppedCount(turns(97, 1_000))).toBe(2 * 49);
    expect(droppedCount([userItem(16), ...turns(97, 1_000)])).toBe(1 + 2 * 49);
  });

  it('keeps its last four turns if they fit the whole budget', () => {
    const largeTurn = [userItem(10_000), agentItem(10_000)];
    expect(droppedCount([...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn])).toBe(2);
    expect(droppedCount([...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn], 16_000)).toBe(2);
    expect(droppedCount([...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn], 16_001)).toBe(4);
    expect(droppedCount([...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn, ...largeTurn], 80_000)).toBe(8);
  });

  it('is cut where a user turn begins, not inside the user’s words', () => {
    const history = [userItem(50_000), agentItem(100), userItem(30_000), userItem(30_000), agentItem(100)];
    expect(droppedCount(history)).toBe(2);
    expect(droppedCount([agentItem(50_000), userItem(40_000), agentItem(10_000)])).toBe(1);
  });

  it('keeps a late tool result whose call is dropped', () => {
    const toolCallItem: HistoryItem = {
      type: 'agent',
      id: 0,
      text: '',
      playedText: null,
      calls: [{ id: 'call_1', name: 'lookup', arguments: '{}' }],
      entry: null,
    };
    const before = [userItem(50_000), toolCallItem];
    const after = [userItem(20_000), agentItem(20_000)];
    const lateResult = resultItem(10_000);
    expect(fitHistory([...before, ...after, lateResult, userItem(100)], 0)).toEqual({
      dropped: before,
      kept: [...after, lateResult, userItem(100)],
    });
  });

  it('loses the first parts of a single turn that is too long', () => {
    const longPart = userItem(30_000);
    expect(droppedCount([longPart, longPart, longPart, longPart])).toBe(3);
    expect(droppedCount([userItem(100), agentItem(100), longPart, longPart, longPart, longPart, agentItem(100)])).toBe(
      5,
    );
    // Dropping the first parts would not make the history fit, so they stay.
    expect(droppedCount([userItem(100), userItem(100), agentItem(100), resultItem(100_000)])).toBe(0);
  });

  it('gets its tool results shortened, oldest first, if a single turn is too long', () => {
    const history = [
      userItem(100),
      agentItem(100),
      resultItem(60_000),
      resultItem(516),
      resultItem(60_000),
      resultItem(600),
      agentItem(100),
    ];
    const { dropped: droppedItems, kept } = fitHistory(history, 0);
    expect(droppedItems).toEqual([]);
    expect(kept.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 60_000, 600, 100]);
    expect(kept[2]).toMatchObject({ content: `${'x'.repeat(476)} [the rest was left out]` });
    const withLessRoom = fitHistory(history, 90_000).kept;
    expect(withLessRoom.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 516, 600, 100]);
    const withLeastRoom = fitHistory(history, 95_000).kept;
    expect(withLeastRoom.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 516, 516, 100]);
  });

  it('is never cut inside a character', () => {
    const smileys: HistoryItem = { type: 'result', id: 0, toolCallId: 'a', content: `x${'😀'.repeat(60_000)}` };
    const [, shortened] = fitHistory([userItem(100), smileys], 0).kept;
    expect(shortened?.type === 'result' && shortened.content.isWellFormed()).toBe(true);
  });

  it('keeps all its items, with shortened results, if no user turn exists', () => {
    expect(droppedCount([agentItem(50_000), agentItem(50_000)])).toBe(0);
    expect(fitHistory([agentItem(50_000), resultItem(50_000)], 0).kept.map((item) => historySize([item]))).toEqual([
      50_000, 516,
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../../../engine/core/state/transcript-slice.ts';
import { fitHistory, HISTORY_MAX_CHARACTERS, historySize } from '../../../engine/history-summary/history-budget.ts';

/** Each with what the model is told of it, its marks included: 16 characters more than it holds. */
const caller = (size: number): HistoryItem => ({ type: 'user', id: 0, text: 'x'.repeat(size - 16) });
const result = (size: number): HistoryItem => ({
  type: 'result',
  id: 0,
  toolCallId: 'call_1',
  content: 'x'.repeat(size - 16),
});
const agent = (size: number): HistoryItem => ({
  type: 'agent',
  id: 0,
  text: 'x'.repeat(size - 16),
  playedText: null,
  calls: [],
  entry: null,
});

function dropped(history: readonly HistoryItem[], besides = 0): number {
  const fitted = fitHistory(history, besides);
  expect(fitted.dropped).toEqual(history.slice(0, fitted.dropped.length));
  expect(fitted.kept).toHaveLength(history.length - fitted.dropped.length);
  return fitted.dropped.length;
}

describe('the size of a history', () => {
  it('is what the model is told of it', () => {
    const spoken: HistoryItem = {
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
    expect(historySize([caller(20), result(30), agent(40), spoken])).toBe(90 + 16 + 10 + 8 + 7);
    expect(historySize([])).toBe(0);
  });
});

describe('a history that outgrows its budget', () => {
  it('is one that is larger than what the rest leaves of it', () => {
    const history = [caller(HISTORY_MAX_CHARACTERS - 1_000), agent(400), caller(100), agent(500)];
    expect(dropped(history)).toBe(0);
    expect(fitHistory(history, 0).kept).toBe(history);
    expect(dropped(history, 1)).toBe(2);
  });

  it('loses its oldest turns, until half of the budget is left', () => {
    const turns = (count: number, size: number) =>
      Array.from({ length: count }, () => [caller(size / 2), agent(size / 2)]).flat();
    // 97 turns of 1,000 characters; 48 are kept.
    expect(dropped(turns(97, 1_000))).toBe(2 * 49);
    expect(dropped([caller(16), ...turns(97, 1_000)])).toBe(1 + 2 * 49);
  });

  it('keeps its last four turns, where these are larger than that and fit', () => {
    const large = [caller(10_000), agent(10_000)];
    expect(dropped([...large, ...large, ...large, ...large, ...large])).toBe(2);
    expect(dropped([...large, ...large, ...large, ...large, ...large], 16_000)).toBe(2);
    expect(dropped([...large, ...large, ...large, ...large, ...large], 16_001)).toBe(4);
    expect(dropped([...large, ...large, ...large, ...large, ...large], 80_000)).toBe(8);
  });

  it('is cut where a user begins to speak, and not in the midst of what they say', () => {
    const history = [caller(50_000), agent(100), caller(30_000), caller(30_000), agent(100)];
    expect(dropped(history)).toBe(2);
    expect(dropped([agent(50_000), caller(40_000), agent(10_000)])).toBe(1);
  });

  it('keeps no result without its call, where the user spoke before it came', () => {
    const asking: HistoryItem = {
      type: 'agent',
      id: 0,
      text: '',
      playedText: null,
      calls: [{ id: 'call_1', name: 'lookup', arguments: '{}' }],
      entry: null,
    };
    const before = [caller(50_000), asking];
    const after = [caller(20_000), agent(20_000)];
    const late = result(10_000);
    expect(fitHistory([...before, ...after, late, caller(100)], 0)).toEqual({
      dropped: [...before, late],
      kept: [...after, caller(100)],
    });
  });

  it('loses the first parts of a turn that is too long alone', () => {
    const part = caller(30_000);
    expect(dropped([part, part, part, part])).toBe(3);
    expect(dropped([caller(100), agent(100), part, part, part, part, agent(100)])).toBe(5);
    // What does not make it fit is not dropped for nothing.
    expect(dropped([caller(100), caller(100), agent(100), result(100_000)])).toBe(0);
  });

  it('has results shortened, the oldest first, where one turn alone is too long', () => {
    const history = [caller(100), agent(100), result(60_000), result(516), result(60_000), result(600), agent(100)];
    const { dropped: gone, kept } = fitHistory(history, 0);
    expect(gone).toEqual([]);
    expect(kept.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 60_000, 600, 100]);
    expect(kept[2]).toMatchObject({ content: `${'x'.repeat(476)} [the rest was left out]` });
    const more = fitHistory(history, 90_000).kept;
    expect(more.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 516, 600, 100]);
    const all = fitHistory(history, 95_000).kept;
    expect(all.map((item) => historySize([item]))).toEqual([100, 100, 516, 516, 516, 516, 100]);
  });

  it('does not cut a character in two', () => {
    const smileys: HistoryItem = { type: 'result', id: 0, toolCallId: 'a', content: `x${'😀'.repeat(60_000)}` };
    const [, short] = fitHistory([caller(100), smileys], 0).kept;
    expect(short?.type === 'result' && short.content.isWellFormed()).toBe(true);
  });

  it('is left without a turn where no user has spoken', () => {
    expect(dropped([agent(50_000), agent(50_000)])).toBe(0);
    expect(fitHistory([agent(50_000), result(50_000)], 0).kept.map((item) => historySize([item]))).toEqual([
      50_000, 516,
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { costLines, costShares } from '../../console/src/analytics/cost-rows.ts';
import type { CostRow } from '../../console/src/generated/client.ts';

const DAYS = ['2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'] as const;
const times = DAYS.map((day) => Date.parse(day) / 1_000);

function row(provider: string, cost: number, more: Partial<CostRow> = {}): CostRow {
  return { start_time: DAYS[0], kind: 'llm', provider, model: null, calls: 1, cost, ...more };
}

describe('the cost of providers over time', () => {
  it('has a line for each provider, the most expensive first, with 0 on days without cost', () => {
    const rows = [row('openai', 1), row('openai', 2, { start_time: DAYS[1] }), row('mistral', 5), row('free', 0)];
    expect(costLines(rows, times).map(({ of, values }) => [of?.provider, values])).toEqual([
      ['mistral', [5, 0]],
      ['openai', [1, 2]],
    ]);
  });

  it('sums the providers beyond the third to one line, if there are more than four', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((name, at) => row(name, 10 - at));
    expect(costLines(rows.slice(0, 4), times).map(({ of }) => of?.provider)).toEqual(['a', 'b', 'c', 'd']);
    expect(costLines(rows, times).map(({ of, values }) => [of?.provider, values])).toEqual([
      ['a', [10, 0]],
      ['b', [9, 0]],
      ['c', [8, 0]],
      [undefined, [13, 0]],
    ]);
  });

  it('keeps roles of one provider apart', () => {
    const rows = [row('deepgram', 1, { kind: 'voice' }), row('deepgram', 2, { kind: 'transcriber' })];
    expect(costLines(rows, times).map(({ of }) => of?.kind)).toEqual(['transcriber', 'voice']);
  });
});

describe('the shares of a total', () => {
  it('leave out rows without cost, and begin with the most expensive', () => {
    const shares = costShares([row('a', 1), row('b', 3), row('c', 0)]);
    expect(shares.map(({ row: { provider }, share }) => [provider, share])).toEqual([
      ['b', 0.75],
      ['a', 0.25],
    ]);
    expect(costShares([row('a', 0)])).toEqual([]);
  });
});

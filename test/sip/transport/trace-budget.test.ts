import { expect, test } from 'vitest';
import { TraceBudget } from '../../../sip/transport/trace-budget.ts';

test('2,000 messages are traced in a second, the rest of a flood is not, and the next second has its own', () => {
  const budget = new TraceBudget();
  const traced = (secondMs: number) =>
    Array.from({ length: 5000 }, (_, i) => budget.take(secondMs + i / 5)).filter(Boolean).length;
  expect([traced(1_700_000_000_000), traced(1_700_000_001_000), traced(1_700_000_009_000)]).toEqual([2000, 2000, 2000]);
});

import { expect, it } from 'vitest';
import { checkClocks } from '../../../src/doctor/clocks.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const QUERY_MS = 400;
const TOLERATED_MS = 1_000;

/** A query that takes `QUERY_MS`. */
const verdictAt = (databaseMs: number) => checkClocks({ askedMs: NOW_MS, answeredMs: NOW_MS + QUERY_MS, databaseMs });

it('clocks that agree to the second are fine, however long the query takes', () => {
  for (const databaseMs of [NOW_MS - TOLERATED_MS, NOW_MS, NOW_MS + QUERY_MS + TOLERATED_MS]) {
    expect(verdictAt(databaseMs).verdict).toBe('ok');
  }
});

it('a clock that is ahead or behind is a warning with its distance', () => {
  expect(verdictAt(NOW_MS - 61_000)).toMatchObject({
    verdict: 'warning',
    text: '61.0 s ahead of the clock of PostgreSQL',
  });
  expect(verdictAt(NOW_MS + QUERY_MS + TOLERATED_MS + 500)).toMatchObject({
    verdict: 'warning',
    text: '1.5 s behind the clock of PostgreSQL',
  });
});

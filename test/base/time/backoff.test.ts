import { expect, it } from 'vitest';
import { backoff } from '../../../base/time/backoff.ts';

it('the delay doubles with each failure, up to its maximum', () => {
  const delays = [0, 1, 2, 3, 4].map((earlierFailures) => backoff({ first: 250, max: 1_500 }, earlierFailures));
  expect(delays).toEqual([250, 500, 1_000, 1_500, 1_500]);
});

import { expect, it } from 'vitest';
import { TrunkCapacity } from '../../../../src/telephony/trunks/trunk-capacity.ts';

const trunk = (maxConcurrentCalls: number | null, maxCallsPerSecond: number | null = null, id = 'a') => ({
  id,
  maxConcurrentCalls,
  maxCallsPerSecond,
});

it('limits concurrent calls; a second release of a call has no effect', () => {
  const capacity = new TrunkCapacity(() => 0);
  const first = capacity.take(trunk(2));
  expect(capacity.take(trunk(2))).not.toBeNull();
  expect(capacity.take(trunk(2))).toBeNull();
  expect(capacity.take(trunk(2, null, 'b'))).not.toBeNull();
  first?.();
  first?.();
  expect(capacity.take(trunk(2))).not.toBeNull();
  expect(capacity.take(trunk(2))).toBeNull();
});

it('limits the calls that begin in any second, including ended calls', () => {
  let nowUs = 0;
  const capacity = new TrunkCapacity(() => nowUs);
  capacity.take(trunk(null, 2))?.();
  nowUs = 600_000;
  capacity.take(trunk(null, 2))?.();
  nowUs = 999_999;
  expect(capacity.fits(trunk(null, 2))).toBe(false);
  nowUs = 1_000_000;
  expect(capacity.take(trunk(null, 2))).not.toBeNull();
  expect(capacity.take(trunk(null, 2))).toBeNull();
});

it('accepts every call without limits', () => {
  const capacity = new TrunkCapacity(() => 0);
  for (let call = 0; call < 10_000; call++) expect(capacity.take(trunk(null))).not.toBeNull();
});

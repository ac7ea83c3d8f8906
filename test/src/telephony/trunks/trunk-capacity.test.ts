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

it('counts the calls of other nodes, and reports its own where there is a limit', () => {
  const reported: [string, number][] = [];
  let others = 1;
  const reportCalls = (trunkId: string, calls: number) => void reported.push([trunkId, calls]);
  const capacity = new TrunkCapacity(() => 0, { ofOthers: () => others, reportCalls });
  const first = capacity.take(trunk(2));
  expect(capacity.take(trunk(2))).toBeNull();
  expect(capacity.take(trunk(null, null, 'unlimited'))).not.toBeNull();
  others = 0;
  expect(capacity.take(trunk(2))).not.toBeNull();
  first?.();
  expect(reported).toEqual([
    ['a', 1],
    ['a', 2],
    ['a', 1],
  ]);
  others = 2;
  expect(capacity.fits(trunk(2)), 'also without a call of this node').toBe(false);
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

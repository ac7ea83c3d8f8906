import { expect, it } from 'vitest';
import { LocalCallRate } from '../../../../src/telephony/trunks/call-rate.ts';
import { TrunkCapacity } from '../../../../src/telephony/trunks/trunk-capacity.ts';

const trunk = (maxConcurrentCalls: number | null, maxCallsPerSecond: number | null = null, id = 'a') => ({
  id,
  maxConcurrentCalls,
  maxCallsPerSecond,
});
const rate = () => new LocalCallRate(() => 0);

it('limits concurrent calls; a second release of a call has no effect', async () => {
  const capacity = new TrunkCapacity(rate());
  const first = await capacity.take(trunk(2));
  expect(await capacity.take(trunk(2))).not.toBeNull();
  expect(await capacity.take(trunk(2))).toBeNull();
  expect(await capacity.take(trunk(2, null, 'b'))).not.toBeNull();
  first?.();
  first?.();
  expect(await capacity.take(trunk(2))).not.toBeNull();
  expect(await capacity.take(trunk(2))).toBeNull();
});

it('counts the calls of other nodes, and reports its own where there is a limit', async () => {
  const reported: [string, number][] = [];
  let others = 1;
  const reportCalls = (trunkId: string, calls: number) => void reported.push([trunkId, calls]);
  const capacity = new TrunkCapacity(rate(), { ofOthers: () => others, reportCalls });
  const first = await capacity.take(trunk(2));
  expect(await capacity.take(trunk(2))).toBeNull();
  expect(await capacity.take(trunk(null, null, 'unlimited'))).not.toBeNull();
  others = 0;
  expect(await capacity.take(trunk(2))).not.toBeNull();
  first?.();
  expect(reported).toEqual([
    ['a', 1],
    ['a', 2],
    ['a', 1],
  ]);
  others = 2;
  expect(capacity.fits(trunk(2)), 'also without a call of this node').toBe(false);
});

it('a call that is refused by the limit per second holds no capacity, and one without room starts none', async () => {
  const starts: string[] = [];
  let isRefused = true;
  const take = async (key: string, perSecond: number) => {
    starts.push(`${key} ${perSecond}`);
    return !isRefused;
  };
  const capacity = new TrunkCapacity({ take });
  expect(await capacity.take(trunk(1, 7))).toBeNull();
  isRefused = false;
  expect(await capacity.take(trunk(1, 7))).not.toBeNull();
  expect(await capacity.take(trunk(1, 7)), 'there is no room').toBeNull();
  expect(starts).toEqual(['trunk a 7', 'trunk a 7']);
});

it('takes room while it waits for the limit per second', async () => {
  const answer = Promise.withResolvers<boolean>();
  const capacity = new TrunkCapacity({ take: () => answer.promise });
  const first = capacity.take(trunk(1, 7));
  expect(await capacity.take(trunk(1, 7))).toBeNull();
  answer.resolve(true);
  expect(await first).not.toBeNull();
});

it('accepts every call without limits', async () => {
  const capacity = new TrunkCapacity(rate());
  for (let call = 0; call < 1_000; call++) expect(await capacity.take(trunk(null))).not.toBeNull();
});

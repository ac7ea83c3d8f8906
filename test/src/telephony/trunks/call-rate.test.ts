import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { LocalCallRate, SharedCallRate } from '../../../../src/telephony/trunks/call-rate.ts';

const WAIT_MS = 500;

it('limits the calls that begin in any second, by key', async () => {
  let nowUs = 0;
  const rate = new LocalCallRate(() => nowUs);
  expect(await rate.take('a', 2)).toBe(true);
  nowUs = 600_000;
  expect(await rate.take('a', 2)).toBe(true);
  nowUs = 999_999;
  expect(await rate.take('a', 2)).toBe(false);
  expect(await rate.take('b', 2)).toBe(true);
  nowUs = 1_000_000;
  expect(await rate.take('a', 2)).toBe(true);
  expect(await rate.take('a', 2)).toBe(false);
});

/** A limit of the database, which can fail. */
function shared() {
  const clock = new SimulatedClock();
  const faults: string[] = [];
  const database = { take: async (_name: string, _perSecond: number): Promise<boolean> => true };
  const rate = new SharedCallRate({
    takeCallStart: (name, perSecond) => database.take(name, perSecond),
    clock,
    onFault: (name) => faults.push(name),
  });
  return { clock, database, faults, rate };
}

it('asks the database for each call', async () => {
  const { database, faults, rate } = shared();
  expect(await rate.take('a', 2)).toBe(true);
  database.take = async () => false;
  expect(await rate.take('a', 2)).toBe(false);
  expect(faults).toEqual([]);
});

it('counts on this node while the database fails, the calls before included', async () => {
  const { clock, database, faults, rate } = shared();
  await rate.take('a', 2);
  database.take = async () => {
    throw new Error('away');
  };
  expect([await rate.take('a', 2), await rate.take('a', 2)]).toEqual([true, false]);
  clock.advance(1_000);
  expect(await rate.take('a', 2)).toBe(true);
  expect(faults).toEqual(['a', 'a', 'a']);
});

it('waits half a second for the database', async () => {
  const { clock, database, faults, rate } = shared();
  database.take = () => new Promise(() => {});
  const taken = rate.take('a', 1);
  clock.advance(WAIT_MS);
  expect(await taken).toBe(true);
  expect(faults).toEqual(['a']);
});

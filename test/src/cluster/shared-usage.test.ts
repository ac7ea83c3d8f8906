import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { SharedUsage, type Usage } from '../../../src/cluster/shared-usage.ts';

const GATHER_MS = 100;
const VALID_MS = 15_000;

/** Two nodes that notify each other at once, unless the notification is lost. */
function twoNodes() {
  const clock = new SimulatedClock();
  const network = { isLost: false, sent: [] as (readonly Usage[])[] };
  const one: SharedUsage = new SharedUsage({
    clock,
    validMs: VALID_MS,
    send: (usage) => {
      network.sent.push(usage);
      if (!network.isLost) two.receive('one', usage);
    },
  });
  const two = new SharedUsage({ clock, validMs: VALID_MS, send: (usage) => one.receive('two', usage) });
  return { clock, network, one, two };
}

it('counts the calls of other nodes, and gathers changes', () => {
  const { clock, network, one, two } = twoNodes();
  one.reportCalls('trunk', 1);
  one.reportCalls('trunk', 2);
  one.reportCalls('other', 1);
  clock.advance(GATHER_MS);
  expect(network.sent).toEqual([
    [
      ['trunk', 2],
      ['other', 1],
    ],
  ]);
  expect([two.ofOthers('trunk'), one.ofOthers('trunk')]).toEqual([2, 0]);
  one.reportCalls('trunk', 0);
  clock.advance(GATHER_MS);
  expect(two.ofOthers('trunk')).toBe(0);
});

it('learns of a lost change by the next repetition', () => {
  const { clock, network, one, two } = twoNodes();
  network.isLost = true;
  one.reportCalls('trunk', 3);
  clock.advance(GATHER_MS);
  network.isLost = false;
  expect(two.ofOthers('trunk')).toBe(0);
  one.repeat();
  expect(two.ofOthers('trunk')).toBe(3);
});

it('forgets the calls of a node that is silent', () => {
  const { clock, one, two } = twoNodes();
  one.reportCalls('trunk', 3);
  clock.advance(GATHER_MS + VALID_MS);
  expect(two.ofOthers('trunk')).toBe(3);
  clock.advance(1);
  expect(two.ofOthers('trunk')).toBe(0);
});

it('sends no more keys in one notification than PostgreSQL takes', () => {
  const { clock, network, one, two } = twoNodes();
  for (let trunk = 0; trunk < 250; trunk += 1) one.reportCalls(`trunk ${trunk}`, 1);
  clock.advance(GATHER_MS);
  expect(network.sent.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(two.ofOthers('trunk 249')).toBe(1);
});

import { expect, it } from 'vitest';
import { historiesOfNodes } from '../../../../src/telephony/trunks/shared-history.ts';

const interval = (startMs: number, reachable: number, roundTripMs: number | null, answered = reachable) => ({
  startMs,
  checks: 10,
  reachable,
  answered,
  roundTripMs,
});

it('adds the checks of all nodes by half hour, weighted by their responses', () => {
  const own = [['trunk', [interval(0, 10, 20), interval(2, 10, 20)]]] as const;
  const other = [
    ['trunk', [interval(1, 0, null), interval(2, 5, 50)]],
    ['another', [interval(0, 1, 7)]],
  ];
  const histories = historiesOfNodes(own, [other, 'of another version']);
  expect([...histories]).toEqual([
    ['trunk', [interval(0, 10, 20), interval(1, 0, null), { ...interval(2, 15, 30), checks: 20 }]],
    ['another', [interval(0, 1, 7)]],
  ]);
});

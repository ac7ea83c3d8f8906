import { expect, it } from 'vitest';
import type { RefusedInvite } from '../../../../src/telephony/refusals/refused-invites.ts';
import { refusalsOfNodes } from '../../../../src/telephony/refusals/shared-refusals.ts';

const refused = (atMs: number): RefusedInvite => ({
  cause: 'unknown_number',
  status: 404,
  detail: null,
  atMs,
  source: '192.0.2.7',
  from: null,
  to: '+33•••••••89',
});

it('returns the latest hundred of all nodes, newest first', () => {
  const even = Array.from({ length: 80 }, (_, nth) => refused(2 * (79 - nth)));
  const odd = Array.from({ length: 80 }, (_, nth) => refused(2 * (79 - nth) + 1));
  const found = refusalsOfNodes(even, [odd, { of: 'another version' }]);
  expect(found.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 100 }, (_, nth) => 159 - nth));
});

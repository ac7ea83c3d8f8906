import { expect, it } from 'vitest';
import { limitsFor } from '../../../sip/server/server-limits.ts';

it.each([
  { openFiles: 20, connectionsMax: 16, connectionsPerAddressMax: 4 },
  { openFiles: 700, connectionsMax: 87, connectionsPerAddressMax: 21 },
  { openFiles: Number.POSITIVE_INFINITY, connectionsMax: 2_000, connectionsPerAddressMax: 500 },
])('with $openFiles open files, SIP has $connectionsMax connections over TCP', ({ openFiles, ...limits }) => {
  expect(limitsFor(openFiles)).toMatchObject(limits);
});

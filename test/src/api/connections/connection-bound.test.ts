import { expect, it } from 'vitest';
import { connectionsFor } from '../../../../src/api/connections/connection-bound.ts';

it.each([
  { openFiles: 20, connections: 16 },
  { openFiles: 700, connections: 175 },
  { openFiles: 1_024, connections: 256 },
  { openFiles: Number.POSITIVE_INFINITY, connections: 4_096 },
])('$connections HTTP connections are allowed with $openFiles open files', ({ connections, openFiles }) => {
  expect(connectionsFor(openFiles)).toBe(connections);
});

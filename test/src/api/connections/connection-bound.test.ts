import { expect, it } from 'vitest';
import { connectionsFor, openFileLimit, openFilesIn } from '../../../../src/api/connections/connection-bound.ts';

it.each([
  { openFiles: 20, connections: 16 },
  { openFiles: 700, connections: 175 },
  { openFiles: 1_024, connections: 256 },
  { openFiles: Number.POSITIVE_INFINITY, connections: 4_096 },
])('$connections HTTP connections are allowed with $openFiles open files', ({ connections, openFiles }) => {
  expect(connectionsFor(openFiles)).toBe(connections);
});

it('the limit of open files is the soft limit of the process', () => {
  expect(
    openFilesIn('Max processes 10 20 processes\nMax open files            1024                 4096   files'),
  ).toBe(1_024);
  expect(openFilesIn('Max open files            unlimited            unlimited            files')).toBe(
    Number.POSITIVE_INFINITY,
  );
  expect(openFilesIn('')).toBe(1_024);
  expect(openFileLimit()).toBeGreaterThan(0);
});

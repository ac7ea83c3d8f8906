import { expect, it } from 'vitest';
import { nodeVersionFault } from '../../../src/cli/node-version.ts';

it('accepts Node 24 and newer, and names the version that is too old', () => {
  expect(nodeVersionFault('24.0.0')).toBeNull();
  expect(nodeVersionFault('26.1.0')).toBeNull();
  expect(nodeVersionFault('22.20.0')).toBe(
    'trunkline needs Node 24 or newer; this is Node 22.20.0. Install it from https://nodejs.org',
  );
});

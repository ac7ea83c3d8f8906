import { expect, it } from 'vitest';
import { openFileLimit, openFilesIn } from '../../../base/limits/open-files.ts';

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

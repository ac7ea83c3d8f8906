import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openFileLimit, openFiles, openFilesIn } from '../../../base/limits/open-files.ts';

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

it.runIf(process.platform === 'linux')('an open file counts as one more open file', () => {
  const before = openFiles() ?? 0;
  const descriptors = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
  const during = openFiles() ?? 0;
  for (const descriptor of descriptors) closeSync(descriptor);
  expect(during - before).toBeGreaterThan(40);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

it('names the npm that the bill of materials needs where npm is older', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-npm-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\ntest "$1" = --version && echo 9.2.0\n', { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, ['packaging/write-bill-of-materials.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  expect(stderr).toBe(
    'npm 9.2.0 cannot write the bill of materials. Install npm 10 or newer: npm install --global npm@11\n',
  );
  expect(status).toBe(1);
});

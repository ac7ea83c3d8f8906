import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the keys of an operator, in a checkout', () => {
  it.each(['.env', 'deploy/.env', 'deploy/tls/key.pem'])('%s is ignored by git', (path) => {
    expect(execFileSync('git', ['check-ignore', path], { cwd: ROOT, encoding: 'utf8' })).toBe(`${path}\n`);
  });

  // A build without BuildKit keeps the layer that copies the checkout.
  it.each(['**/.env', 'deploy/tls'])('%s is not sent to the build of the image', (pattern) => {
    expect(readFileSync(`${ROOT}/.dockerignore`, 'utf8').split('\n')).toContain(pattern);
  });
});

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CLI = join(resolve(import.meta.dirname, '../..'), 'src/cli.ts');

function trunkline(...args: readonly string[]) {
  // Settings that nothing can start with: a command that runs in the place of its help shows it.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HTTP_PORT: 'none' };
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env, timeout: 30_000 });
}

describe('trunkline', () => {
  it.each([['help'], ['--help']])('tells its commands on standard output: %s', (...args) => {
    const { status, stdout, stderr } = trunkline(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('trunkline replay DIR…');
  });

  it.each(['start', 'doctor', 'chat', 'test', 'replay', 'tape', 'keys'])(
    '%s --help tells how it is used, and does nothing',
    (command) => {
      const { status, stdout, stderr } = trunkline(command, '--help');
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^trunkline ${command}`));
    },
  );

  it.each(['start', 'doctor'])('%s takes nothing, and does not run with what it does not know', (command) => {
    const { status, stdout, stderr } = trunkline(command, '--port', '8080');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^unexpected arguments: --port 8080\ntrunkline ${command}\n`));
  });

  it('names a command that there is not', () => {
    const { status, stdout, stderr } = trunkline('strat');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^unknown command: strat\n/);
  });
});

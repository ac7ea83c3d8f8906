import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CLI = join(resolve(import.meta.dirname, '../..'), 'src/cli.ts');

function trunkline(...args: readonly string[]) {
  // An invalid setting: a command that runs instead of printing its help fails.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HTTP_PORT: 'none' };
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env, timeout: 30_000 });
}

describe('trunkline', () => {
  it.each([['help'], ['--help']])('prints its commands to standard output: %s', (...args) => {
    const { status, stdout, stderr } = trunkline(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('trunkline replay DIR…');
  });

  it.each(['start', 'doctor', 'chat', 'test', 'replay', 'tape', 'keys'])(
    '%s --help prints its usage and does nothing else',
    (command) => {
      const { status, stdout, stderr } = trunkline(command, '--help');
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^trunkline ${command}`));
    },
  );

  it.each(['start', 'doctor'])('%s accepts no arguments, and does not run with unknown ones', (command) => {
    const { status, stdout, stderr } = trunkline(command, '--port', '8080');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^unexpected arguments: --port 8080\ntrunkline ${command}\n`));
  });

  it('reports an unknown command', () => {
    const { status, stdout, stderr } = trunkline('strat');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^unknown command: strat\n/);
  });
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CLI = join(resolve(import.meta.dirname, '../..'), 'trunkline.js');

/** Without a `.env` of the developer. */
const FOLDER = mkdtempSync(join(tmpdir(), 'trunkline-cli-'));

function trunkline(...args: readonly string[]) {
  // An invalid setting: a command that runs instead of printing its help fails.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HTTP_PORT: 'none' };
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', cwd: FOLDER, env, timeout: 30_000 });
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

  it.each(['--version', '-V'])('%s prints the version of the package', (option) => {
    const { status, stdout, stderr } = trunkline(option);
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect([status, stdout, stderr]).toEqual([0, `${version}\n`, '']);
  });

  it('reports an unknown command', () => {
    const { status, stdout, stderr } = trunkline('strat');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^unknown command: strat; did you mean start\?\n/);
  });

  it('start reads .env in the working directory, and prints all that prevents a start', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'trunkline-cli-'));
    writeFileSync(join(cwd, 'taken'), '');
    const settings = ['HTTP_PORT=0', 'SIP_PORT=0', 'METRICS_BIND=off', 'DATA_DIR=./taken/data', 'LOG_LEVEL=inof'];
    writeFileSync(join(cwd, '.env'), settings.join('\n'));
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RING_TIMEOUT_SECONDS: '0',
    };
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'start'], { encoding: 'utf8', cwd, env });
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'trunkline did not start:',
      '  LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent, got "inof"; did you mean info?',
      '  RING_TIMEOUT_SECONDS: expected a whole number of seconds from 1 to 300, got "0"',
      expect.stringMatching(/^ {2}DATA_DIR: .*taken\/data is not writable: .*; make it writable, or set DATA_DIR$/),
    ]);
  });

  it('names lines of .env and variables that it does not understand, though the start fails', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'trunkline-cli-'));
    writeFileSync(join(cwd, '.env'), 'HTTP_PORT 8080\nHTTP_PROT=8080\nHTTP_PORT=none\n');
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, OPENAI_KEY: 'k' };
    const { status, stdout } = spawnSync(process.execPath, [CLI, 'start'], { encoding: 'utf8', cwd, env });
    expect(status).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'environment file line malformed', line: 1 },
      { msg: 'environment file variable ignored', variable: 'HTTP_PROT', nearest: 'HTTP_PORT' },
      { msg: 'environment variable ignored', variable: 'OPENAI_KEY', nearest: 'OPENAI_API_KEY' },
    ]);
  });

  it('says in one line that Node is too old', () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const preload = `data:text/javascript,${encodeURIComponent(older)}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, CLI, 'start'], {
      encoding: 'utf8',
      cwd: FOLDER,
      env: { PATH: process.env.PATH },
    });
    const expected = 'trunkline needs Node 24 or newer; this is Node 20.20.2. Install it from https://nodejs.org\n';
    expect([status, stdout, stderr]).toEqual([1, '', expected]);
  });

  it('names a .env that cannot be read', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'trunkline-cli-'));
    mkdirSync(join(cwd, '.env'));
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'help'], { encoding: 'utf8', cwd, env });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^cannot read \.env: EISDIR.*\n$/)]);
  });
});

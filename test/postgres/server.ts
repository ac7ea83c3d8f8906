import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Program folders of Debian's PostgreSQL versions, the newest first. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** No flush to the disk, because the data need not survive a power loss. */
const UNSAFE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** Committed data survive a crash of the server, but no power loss. `synchronous_commit` off would lose the last 0.6 s. */
export const CRASH_SAFE = { fsync: 'off' };

/** The folder of `initdb` and `pg_ctl`, or null if PostgreSQL is not installed. */
export function postgresBin(): string | null {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')), '/usr/local/bin', '/usr/bin'];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** A folder that the server's user may write in, for `startServer`. @param parent it may enter this one, too */
export async function serverFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'trunkline-postgres-'));
  await chmod(folder, 0o777);
  return folder;
}

/** Starts a server on a free loopback port; returns the URL of its database `postgres`. */
export async function startServer(
  folder: string,
  settings: Readonly<Record<string, string>> = UNSAFE,
): Promise<string> {
  const bin = postgresBin();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  const data = join(folder, 'data');
  const port = await freePort();
  run(join(bin, 'initdb'), ['-D', data, '-U', 'trunkline', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']);
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 400,
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  run(join(bin, 'pg_ctl'), ['-D', data, '-l', join(folder, 'log'), '-w', '-o', options.join(' '), 'start']);
  return `postgres://trunkline@127.0.0.1:${port}/postgres`;
}

/** Restarts the server of the folder, or starts it: `immediate` as after a crash. Resolves when it takes connections again. */
export async function restartServer(folder: string, mode: 'fast' | 'immediate'): Promise<void> {
  await control(folder, ['-m', mode, '-l', join(folder, 'log'), 'restart']);
}

/** Stops the server of the folder as a crash does. */
export async function stopServer(folder: string): Promise<void> {
  await control(folder, ['-m', 'immediate', 'stop']);
}

async function control(folder: string, action: readonly string[]): Promise<void> {
  const bin = postgresBin();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  await runBeside(join(bin, 'pg_ctl'), ['-D', join(folder, 'data'), '-w', ...action]);
}

/** Stops the server of the folder, if one runs, and removes the folder. */
export async function removeServer(folder: string): Promise<void> {
  const bin = postgresBin();
  const data = join(folder, 'data');
  if (bin !== null && existsSync(join(data, 'postmaster.pid'))) {
    run(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-w', 'stop']);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Runs one statement on a new connection. */
export async function administrate(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return rows;
  } finally {
    await client.end();
  }
}

/** Another database of the same server. */
export function databaseOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** The command for a program. For root it uses the user `postgres`, because the server refuses to run as root. */
function commandOf(program: string, programArguments: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...programArguments]]
    : [program, [...programArguments]];
}

/** Runs a program while this process goes on. */
async function runBeside(program: string, programArguments: readonly string[]): Promise<void> {
  const [command, args] = commandOf(program, programArguments);
  const [code] = await once(spawn(command, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

function run(program: string, programArguments: readonly string[]): void {
  const [command, args] = commandOf(program, programArguments);
  const { status, stderr, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

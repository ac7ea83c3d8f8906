import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/storage/database/database.ts';
import {
  administrate,
  CRASH_SAFE,
  databaseOf,
  postgresBin,
  removeServer,
  serverFolder,
  startServer,
} from './server.ts';

/** Upper bound of the wait while another process of the run starts the server. */
const START_TIMEOUT_MS = 90_000;
const CHECK_EVERY_MS = 50;
const TEMPLATE = 'trunkline_template';

/** True if tests on PostgreSQL can run. Throws if they cannot and `TRUNKLINE_REQUIRE_PEERS` is set (CI). */
export function hasPostgres(): boolean {
  const found = postgresBin() !== null && process.env.TRUNKLINE_TEST_POSTGRES !== undefined;
  if (!found && process.env.TRUNKLINE_REQUIRE_PEERS !== undefined) throw new Error('PostgreSQL is not installed');
  if (!found) console.warn('skipped: PostgreSQL is not installed');
  return found;
}

/** The URL of an empty database with the newest schema on the run's server; dropped after the test. */
export function temporaryPostgresUrl(): Promise<string> {
  return createDatabase(TEMPLATE);
}

/** The URL of a database without tables; dropped after the test. */
export function emptyPostgresUrl(): Promise<string> {
  return createDatabase('template0');
}

/** A separate server, which the test may restart: its folder and its URL. Removed after the test. */
export async function temporaryServer(): Promise<{ readonly folder: string; readonly url: string }> {
  // The temporary folder of the run is closed to the user of the server.
  const folder = await serverFolder(process.env.TRUNKLINE_TEST_POSTGRES);
  onTestFinished(() => removeServer(folder));
  return { folder, url: await startServer(folder, CRASH_SAFE) };
}

/** A database that several tests use, until `drop`. */
export interface LastingDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database with the newest schema on the run's server. */
export function lastingPostgres(): Promise<LastingDatabase> {
  return createLasting(TEMPLATE);
}

async function createDatabase(template: string): Promise<string> {
  const { url, drop } = await createLasting(template);
  onTestFinished(drop);
  return url;
}

async function createLasting(template: string): Promise<LastingDatabase> {
  const server = await startedServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administrate(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: databaseOf(server, name),
    drop: async () => {
      await administrate(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** URL of the server of this run. The first call starts the server. */
async function startedServer(): Promise<string> {
  const folder = process.env.TRUNKLINE_TEST_POSTGRES;
  if (folder === undefined) throw new Error('The run has no folder for PostgreSQL');
  const ready = join(folder, 'url');
  const isFirst = await mkdir(join(folder, 'starting')).then(
    () => true,
    () => false,
  );
  if (isFirst) await prepareServer(folder, ready);
  for (const startMs = Date.now(); ; ) {
    const url = await readFile(ready, 'utf8').catch(() => null);
    if (url !== null) return url;
    if (Date.now() - startMs > START_TIMEOUT_MS) throw new Error('PostgreSQL did not start');
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
  }
}

async function prepareServer(folder: string, ready: string): Promise<void> {
  const server = await startServer(folder);
  await administrate(server, `CREATE DATABASE ${TEMPLATE}`);
  await (await openDatabase({ dataDir: folder, databaseUrl: databaseOf(server, TEMPLATE) })).close();
  // The rename is atomic: another process can read the file at any time.
  await writeFile(`${ready}.new`, server);
  await rename(`${ready}.new`, ready);
}

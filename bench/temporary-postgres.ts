import {
  administrate,
  databaseOf,
  postgresBin,
  removeServer,
  serverFolder,
  startServer,
} from '../test/postgres/server.ts';
import type { Report } from './report.ts';

/** Measures on a PostgreSQL of its own with its default settings, which is removed behind it; where none is installed, says so. */
export async function onTemporaryPostgres(
  report: Report,
  measure: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  if (postgresBin() === null) {
    report.note('PostgreSQL is not installed: not measured');
    return;
  }
  const folder = await serverFolder();
  try {
    const server = await startServer(folder, {});
    await administrate(server, 'CREATE DATABASE bench');
    await measure(databaseOf(server, 'bench'));
  } finally {
    await removeServer(folder);
  }
}

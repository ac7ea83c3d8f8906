import {
  administrate,
  databaseOf,
  postgresBin,
  removeServer,
  serverFolder,
  startServer,
} from '../test/postgres/server.ts';
import type { Report } from './report.ts';

/** Measures on a temporary PostgreSQL with default settings, whose files are in `folder`. Notes in the report if PostgreSQL is not installed. */
export async function onTemporaryPostgres(
  report: Report,
  measure: (databaseUrl: string, folder: string) => Promise<void>,
): Promise<void> {
  if (postgresBin() === null) {
    report.note('PostgreSQL is not installed: not measured');
    return;
  }
  const folder = await serverFolder();
  try {
    const server = await startServer(folder, {});
    await administrate(server, 'CREATE DATABASE bench');
    await measure(databaseOf(server, 'bench'), folder);
  } finally {
    await removeServer(folder);
  }
}

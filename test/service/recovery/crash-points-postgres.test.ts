import { afterAll, describe } from 'vitest';
import { hasPostgres, type LastingDatabase, lastingPostgres } from '../../postgres/temporary-postgres.ts';
import { postgresStore } from '../rig/call-store.ts';
import { crashPoints } from './crash-points.ts';

/** A separate file, so that it runs in parallel with the SQLite one: both mostly wait. */
describe.skipIf(!hasPostgres())('a service on PostgreSQL, when its process is killed', () => {
  let database: LastingDatabase | null = null;
  // Registered first, so it runs last: after the service has closed the database.
  afterAll(() => database?.drop());

  crashPoints(async () => {
    database = await lastingPostgres();
    const { url } = database;
    return { environment: { RTP_PORTS: '19300-19999', DATABASE_URL: url }, store: () => postgresStore(url) };
  }, 'of_writes');
});

import { hasPostgres, temporaryPostgresUrl } from './temporary-postgres.ts';

/** For tests of the whole service: each database with what the environment says of it, asked for within a test. */
export const DATABASES: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ['SQLite', async () => ({})],
  ...(hasPostgres() ? [['PostgreSQL', async () => ({ DATABASE_URL: await temporaryPostgresUrl() })] as const] : []),
];

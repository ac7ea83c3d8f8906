import { hasPostgres, temporaryPostgresUrl } from './temporary-postgres.ts';

/** Each database with its environment variables, for tests of the whole service. Call the function inside a test. */
export const DATABASES: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ['SQLite', async () => ({})],
  ...(hasPostgres() ? [['PostgreSQL', async () => ({ DATABASE_URL: await temporaryPostgresUrl() })] as const] : []),
];

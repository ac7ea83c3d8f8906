import { hasPostgres, lastingPostgres, temporaryPostgresUrl } from './temporary-postgres.ts';

/** Each database with its environment variables, for tests of the whole service. Call the function inside a test. */
export const DATABASES: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ['SQLite', async () => ({})],
  ...(hasPostgres() ? [['PostgreSQL', async () => ({ DATABASE_URL: await temporaryPostgresUrl() })] as const] : []),
];

/** A database for several tests: the environment of its service, and its removal after the service has stopped. */
export interface LastingEnvironment {
  readonly environment: Record<string, string>;
  drop(): Promise<void>;
}

/** As `DATABASES`, for `beforeAll`. */
export const LASTING_DATABASES: readonly (readonly [string, () => Promise<LastingEnvironment>])[] = [
  ['SQLite', async () => ({ environment: {}, drop: async () => {} })],
  ...(hasPostgres() ? [['PostgreSQL', postgresEnvironment] as const] : []),
];

async function postgresEnvironment(): Promise<LastingEnvironment> {
  const { url, drop } = await lastingPostgres();
  return { environment: { DATABASE_URL: url }, drop };
}

import { describe } from 'vitest';
import { hasPostgres, temporaryPostgresUrl } from '../postgres/temporary-postgres.ts';

/** The same attacks against a service on SQLite and, if it is installed, on PostgreSQL. `environment` selects the database. */
export function againstEachDatabase(suite: (environment: () => Promise<Record<string, string>>) => void): void {
  describe('on SQLite', () => suite(async () => ({})));
  describe.skipIf(!hasPostgres())('on PostgreSQL', () =>
    suite(async () => ({ DATABASE_URL: await temporaryPostgresUrl() })),
  );
}

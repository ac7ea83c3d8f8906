import { createOrganizationRepository } from '../../src/storage/access/organization-repository.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { dropIndexes } from './later-indexes.ts';
import { ORGANIZATION } from './question.ts';
import { storeYearOfAudits } from './year-of-audits.ts';
import { storeYearOfCalls } from './year-of-calls.ts';
import { storeYearOfEvents } from './year-of-events.ts';
import { storeYearOfRollups } from './year-of-rollups.ts';
import { prepareTexts } from './year-of-texts.ts';

/** Fills an empty database. False: it has calls already. `databaseUrl`: of PostgreSQL. */
export async function storeYear(database: Database, calls: number, databaseUrl: string | null): Promise<boolean> {
  const { query } = database;
  if ((await query.selectFrom('calls').select('id').limit(1).executeTakeFirst()) !== undefined) return false;
  await createOrganizationRepository(database).ensureDefault(Date.now());
  const endTexts = await prepareTexts(database);
  const createIndexes = await dropIndexes(database, databaseUrl);
  const newestMs = Date.now();
  await storeYearOfCalls(database, calls, newestMs);
  await storeYearOfRollups(database, newestMs);
  await storeYearOfEvents(database, ORGANIZATION, calls, newestMs);
  await storeYearOfAudits(database, ORGANIZATION, calls, newestMs);
  await createIndexes();
  await endTexts();
  return true;
}

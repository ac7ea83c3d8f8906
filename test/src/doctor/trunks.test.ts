import { expect, it, onTestFinished } from 'vitest';
import { checkTrunks } from '../../../src/doctor/trunks.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { borrowDatabase } from '../storage/database-pool.ts';
import { trunkRecord } from '../telephony/trunks/trunk-record.ts';

it('asks no further trunk once the time is up, and reports it', async () => {
  const { database, giveBack } = await borrowDatabase('sqlite');
  onTestFinished(giveBack);
  const { organizations, sipTrunks } = createRepositories(database);
  await organizations.ensureDefault(0);
  await sipTrunks.create(trunkRecord({ id: 'carrier', organizationId: DEFAULT_ORGANIZATION_ID }));
  expect(await checkTrunks(database, AbortSignal.abort())).toEqual([
    {
      verdict: 'warning',
      subject: 'trunks',
      text: 'out of time: 1 of 1 trunks were not asked',
      remedy: 'run trunkline doctor, which has no time limit',
    },
  ]);
});

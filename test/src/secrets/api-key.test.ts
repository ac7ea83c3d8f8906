import { expect, it } from 'vitest';
import { generateApiKey, makeFirstApiKey, setEnvironmentKey } from '../../../src/secrets/api-key.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../src/storage/access/organization-repository.ts';
import { START_MS, temporaryDatabase } from '../storage/temporary-database.ts';

const OLD = 'the-old-key-of-the-environment-of-it';
const NEW = 'the-new-key-of-the-environment-of-it';

it('the first start without a key creates one and returns it once', async () => {
  const organizations = createOrganizationRepository(await temporaryDatabase());
  await setEnvironmentKey(organizations, null, START_MS);
  const key = await makeFirstApiKey(organizations, START_MS);
  expect(key).toMatch(/^tl_[\w-]{43}$/);
  expect(await organizations.findKey(key ?? '')).toMatchObject({
    organizationId: DEFAULT_ORGANIZATION_ID,
    scopes: ['read', 'write', 'admin'],
  });
  expect(await makeFirstApiKey(organizations, START_MS)).toBeNull();
  expect(await organizations.findKey(key ?? '')).not.toBeNull();
});

it('the key of the environment is an administrator’s, and its predecessor is revoked', async () => {
  const organizations = createOrganizationRepository(await temporaryDatabase());
  await setEnvironmentKey(organizations, OLD, START_MS);
  await setEnvironmentKey(organizations, NEW, START_MS);
  expect(await makeFirstApiKey(organizations, START_MS)).toBeNull();
  expect(await organizations.findKey(OLD)).toBeNull();
  expect(await organizations.findKey(NEW)).toMatchObject({ scopes: ['read', 'write', 'admin'] });
  await setEnvironmentKey(organizations, OLD, START_MS);
  expect(await organizations.findKey(OLD)).not.toBeNull();
  await setEnvironmentKey(organizations, null, START_MS);
  expect(await makeFirstApiKey(organizations, START_MS)).not.toBeNull();
  expect(await organizations.findKey(OLD)).toBeNull();
});

it('stores keys as hashes only, all different', async () => {
  const database = await temporaryDatabase();
  await setEnvironmentKey(createOrganizationRepository(database), OLD, START_MS);
  const rows = await database.query.selectFrom('api_keys').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(OLD);
  expect(rows[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(generateApiKey()).not.toBe(generateApiKey());
});

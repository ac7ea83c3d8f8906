import { randomBytes } from 'node:crypto';
import { DEFAULT_ORGANIZATION_ID, type OrganizationRepository, SCOPES } from './storage/organization-repository.ts';

/** 256 bits: 43 characters of base64url behind the prefix. */
const KEY_BYTES = 32;

/** The prefix lets a scanner of leaked secrets know one. */
export function generateApiKey(): string {
  return `tl_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/**
 * Makes sure that someone can get in: the environment's key is an administrator's of the default organization; without one,
 * and where there is no other key, one is made and answered, to be printed this once.
 */
export async function ensureApiKey(
  organizations: OrganizationRepository,
  environmentKey: string | null,
  nowMs: number,
): Promise<string | null> {
  await organizations.ensureDefault(nowMs);
  await organizations.setEnvironmentKey(environmentKey, nowMs);
  if (await organizations.hasKeys()) return null;
  const key = generateApiKey();
  await organizations.addKey({
    organizationId: DEFAULT_ORGANIZATION_ID,
    name: 'first start',
    key,
    scopes: SCOPES,
    nowMs,
  });
  return key;
}

import { randomBytes } from 'node:crypto';
import {
  DEFAULT_ORGANIZATION_ID,
  type OrganizationRepository,
  SCOPES,
} from '../storage/access/organization-repository.ts';

/** 256 bits: 43 characters of base64url behind the prefix. */
const KEY_BYTES = 32;

/** The prefix lets a scanner of leaked secrets know one. */
export function generateApiKey(): string {
  return `tl_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** The environment's key is an administrator's of the default organization; the one that it was before is no key any more. */
export async function setEnvironmentKey(
  organizations: OrganizationRepository,
  environmentKey: string | null,
  nowMs: number,
): Promise<void> {
  await organizations.ensureDefault(nowMs);
  await organizations.setEnvironmentKey(environmentKey, nowMs);
}

/**
 * Makes sure that someone can get in: where there is no key at all, an administrator's is made and answered, to be printed
 * this once. To be called when nothing more can keep it from being printed.
 */
export async function makeFirstApiKey(organizations: OrganizationRepository, nowMs: number): Promise<string | null> {
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

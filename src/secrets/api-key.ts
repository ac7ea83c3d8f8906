import { randomBytes } from 'node:crypto';
import {
  DEFAULT_ORGANIZATION_ID,
  type OrganizationRepository,
  SCOPES,
} from '../storage/access/organization-repository.ts';

/** 256 bits: 43 characters of base64url after the prefix. */
const KEY_BYTES = 32;

/** Scanners for leaked secrets recognize the prefix. */
export function generateApiKey(): string {
  return `tl_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** Gives the key of the environment the rights of an administrator in the default organization, in place of the previous one. */
export async function setEnvironmentKey(
  organizations: OrganizationRepository,
  environmentKey: string | null,
  nowMs: number,
): Promise<void> {
  await organizations.ensureDefault(nowMs);
  await organizations.setEnvironmentKey(environmentKey, nowMs);
}

/**
 * Creates an administrator's key if the database has none. Returns it, to be printed once, or null. Call it last in a start,
 * so that no later failure keeps the key from being printed.
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

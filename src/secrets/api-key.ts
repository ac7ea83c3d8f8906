import { randomBytes } from 'node:crypto';
import {
  type ApiKeyRecord,
  DEFAULT_ORGANIZATION_ID,
  ENVIRONMENT_KEY_NAME,
  type NewApiKey,
  type OrganizationRepository,
  SCOPES,
} from '../storage/access/organization-repository.ts';

/** 256 bits: 43 characters of base64url after the prefix. */
const KEY_BYTES = 32;

/** Scanners for leaked secrets recognize the prefix. */
export function generateApiKey(): string {
  return `tl_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

export const API_KEY_NAME_LENGTH_MAX = 100;

/** Whether people may give a key this name. That of the key of the environment is reserved. */
export function isApiKeyName(name: string): boolean {
  return name.trim() !== '' && name.length <= API_KEY_NAME_LENGTH_MAX && name !== ENVIRONMENT_KEY_NAME;
}

/** Stores a new key. Returns the key itself, to be shown once, with its record. */
export async function createApiKey(
  organizations: Pick<OrganizationRepository, 'addKey' | 'findKey'>,
  wanted: Omit<NewApiKey, 'key'>,
): Promise<{ readonly key: string; readonly record: ApiKeyRecord }> {
  const key = generateApiKey();
  await organizations.addKey({ ...wanted, key });
  const record = await organizations.findKey(key);
  if (record === null) throw new Error('storing the key failed');
  return { key, record };
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

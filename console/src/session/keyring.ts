import type { ApiKey, Scope } from '../generated/client.ts';

/** The default organization is that of the operator. The same in every installation. */
const DEFAULT_ORGANIZATION_ID = '00000000-0000-4000-8000-000000000001';

/** An API key that the user has entered, with what the service says about it. */
export interface HeldKey {
  readonly secret: string;
  readonly key: ApiKey;
}

/** The keys of this browser tab. One of them is in use. */
export interface Keyring {
  readonly held: readonly HeldKey[];
  /** Id of the key in use; null: signed out. */
  readonly activeId: string | null;
  /** The service has refused the key that was in use. */
  readonly isRefused?: true;
}

export const EMPTY_KEYRING: Keyring = { held: [], activeId: null };

/** Adds a key, or replaces what was known about it, and uses it. */
export function withKey({ held }: Keyring, added: HeldKey): Keyring {
  return { held: [...held.filter(({ key }) => key.id !== added.key.id), added], activeId: added.key.id };
}

/** Removes a key. The next one, if any, is used. */
export function withoutKey({ held, activeId }: Keyring, id: string): Keyring {
  const left = held.filter(({ key }) => key.id !== id);
  return { held: left, activeId: activeId === id ? (left[0]?.key.id ?? null) : activeId };
}

/** Removes a key that the service refuses. Of one that was removed before, further requests may be refused. */
export function withoutRefused(before: Keyring, id: string): Keyring {
  if (!before.held.some(({ key }) => key.id === id)) return before;
  const isInUse = before.activeId === id;
  return { ...withoutKey(before, id), ...(isInUse && { isRefused: true }) };
}

export function activeKey({ held, activeId }: Keyring): HeldKey | null {
  return held.find(({ key }) => key.id === activeId) ?? null;
}

/** `admin` includes the others. */
export function allows({ scopes }: Pick<ApiKey, 'scopes'>, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Whether the key belongs to the organization that sees the service itself. */
export function isOperators({ organization_id: organizationId }: Pick<ApiKey, 'organization_id'>): boolean {
  return organizationId === DEFAULT_ORGANIZATION_ID;
}

import { useSyncExternalStore } from 'react';
import { sendKey } from '../api/connection.ts';
import type { Scope } from '../generated/client.ts';
import { activeKey, allows, EMPTY_KEYRING, type HeldKey, type Keyring } from './keyring.ts';

/** Name in the session storage, which the browser deletes with the tab and sends nowhere. */
const STORAGE_NAME = 'trunkline.keys';

let keyring = restored();
const listeners = new Set<() => void>();
sendKey(activeKey(keyring)?.secret ?? null);

function restored(): Keyring {
  const text = sessionStorage.getItem(STORAGE_NAME);
  return text === null ? EMPTY_KEYRING : JSON.parse(text);
}

export function replaceKeyring(change: (before: Keyring) => Keyring): void {
  keyring = change(keyring);
  if (keyring.held.length === 0) sessionStorage.removeItem(STORAGE_NAME);
  else sessionStorage.setItem(STORAGE_NAME, JSON.stringify(keyring));
  sendKey(activeKey(keyring)?.secret ?? null);
  for (const listener of listeners) listener();
}

export function onKeyringChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentKey(): HeldKey | null {
  return activeKey(keyring);
}

/** Whether the key in use has the scope. */
export function useAllowed(scope: Scope): boolean {
  const held = activeKey(useKeyring());
  return held !== null && allows(held.key, scope);
}

export function useKeyring(): Keyring {
  return useSyncExternalStore(onKeyringChange, () => keyring);
}

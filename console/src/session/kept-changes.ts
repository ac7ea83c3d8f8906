import { useSyncExternalStore } from 'react';
import { allows, type HeldKey } from './keyring.ts';
import { type UnsavedChanges, unsavedChanges } from './unsaved-changes.ts';

/** Name in the session storage, which the browser deletes with the tab and sends nowhere. */
const STORAGE_NAME = 'trunkline.unsaved-changes';

/** The unsaved changes of a page that was left because the service refused its key. */
export interface KeptChanges extends UnsavedChanges {
  /** Organization of the refused key. */
  readonly organizationId: string;
}

let kept = restored();
const listeners = new Set<() => void>();

function restored(): KeptChanges | null {
  const text = sessionStorage.getItem(STORAGE_NAME);
  return text === null ? null : JSON.parse(text);
}

function replaceKept(given: KeptChanges | null): void {
  kept = given;
  if (given === null) sessionStorage.removeItem(STORAGE_NAME);
  else sessionStorage.setItem(STORAGE_NAME, JSON.stringify(given));
  for (const listener of listeners) listener();
}

function onKeptChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps the unsaved changes of the page, if it has any, for the next key of the organization. */
export function keepUnsaved(organizationId: string): void {
  const unsaved = unsavedChanges();
  if (unsaved !== null) replaceKept({ ...unsaved, organizationId });
}

export function forgetKept(): void {
  replaceKept(null);
}

export function keptChanges(): KeptChanges | null {
  return kept;
}

export function useKeptChanges(): KeptChanges | null {
  return useSyncExternalStore(onKeptChange, keptChanges);
}

/** Whether the key can store the changes. */
export function mayGoOn({ organizationId }: KeptChanges, held: HeldKey | null): boolean {
  return held !== null && held.key.organization_id === organizationId && allows(held.key, 'write');
}

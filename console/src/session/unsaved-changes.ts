import type { AgentVersion } from '../generated/client.ts';

/** The changes of an agent that the page has not stored. */
export interface UnsavedChanges {
  /** null: a new agent. */
  readonly agentId: string | null;
  /** The version that is edited; null: of a new agent. */
  readonly version: number | null;
  /** The versions that the page has read: the changes do not overwrite one that was stored since. */
  readonly versions: readonly AgentVersion[];
  /** The document as text. */
  readonly content: string;
}

let unsaved: UnsavedChanges | null = null;
const listeners = new Set<() => void>();

/** Called by the page at each change, also when it is left. null: all is stored. */
export function setUnsaved(given: UnsavedChanges | null): void {
  unsaved = given;
  for (const listener of listeners) listener();
}

export function onUnsavedChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The changes of the page that would be lost with the key in use. */
export function unsavedChanges(): UnsavedChanges | null {
  return unsaved;
}

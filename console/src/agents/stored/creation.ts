import type { AgentWarning } from '../../generated/client.ts';

/** What the page of a new agent hands to the page of the agent that it has created. */
export interface Creation {
  readonly agentId: string;
  readonly warnings: readonly AgentWarning[];
  /** Name of the state that was being edited; null: none was chosen. */
  readonly selected: string | null;
}

let latest: Creation | null = null;

export function keepCreation(creation: Creation): void {
  latest = creation;
}

/** null: the agent was not created on the page before this one. */
export function creationOf(agentId: string): Creation | null {
  return latest?.agentId === agentId ? latest : null;
}

export function forgetCreation(): void {
  latest = null;
}

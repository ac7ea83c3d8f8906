import type { AgentVersion } from '../../generated/client.ts';

export function activeVersion(versions: readonly AgentVersion[]): number | null {
  return versions.find(({ active }) => active)?.version ?? null;
}

/** The version on which the service bases a draft: the newest draft, if it is newer than the active version. */
export function draftBase(versions: readonly AgentVersion[]): number | null {
  const active = activeVersion(versions);
  const draft = versions.find(({ published, version }) => !published && version > (active ?? 0));
  return draft?.version ?? active;
}

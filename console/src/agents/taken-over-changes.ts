import { useEffect, useState } from 'react';
import type { Agent } from '../generated/client.ts';
import { forgetKept, type KeptChanges, keptChanges, mayGoOn } from '../session/kept-changes.ts';
import { currentKey } from '../session/keyring-store.ts';

/** The changes that were kept when a key was refused; null: none of this version. The page takes them over. */
export function useTakenOverChanges(agent: Agent | null): KeptChanges | null {
  const [changes] = useState(() => changesOf(agent));
  useEffect(() => {
    if (changes !== null) forgetKept();
  }, [changes]);
  return changes;
}

/** Changes of another version stay kept: on this one they would undo what was stored since. */
function changesOf(agent: Agent | null): KeptChanges | null {
  const kept = keptChanges();
  if (kept === null || !mayGoOn(kept, currentKey())) return null;
  const isOfAgent = kept.agentId === (agent?.id ?? null) && kept.version === (agent?.version ?? null);
  return isOfAgent ? kept : null;
}

import { useEffect, useState } from 'react';
import type { Agent } from '../generated/client.ts';
import { forgetKept, keptChanges, mayGoOn } from '../session/kept-changes.ts';
import { currentKey } from '../session/keyring-store.ts';

/** The document with the changes that were kept when a key was refused; null: none of this version. The page takes them over. */
export function useKeptContent(agent: Agent | null): string | null {
  const [content] = useState(() => keptContent(agent));
  useEffect(() => {
    if (content !== null) forgetKept();
  }, [content]);
  return content;
}

/** Changes of another version stay kept: on this one they would undo what was stored since. */
function keptContent(agent: Agent | null): string | null {
  const kept = keptChanges();
  if (kept === null || !mayGoOn(kept, currentKey())) return null;
  const isOfAgent = kept.agentId === (agent?.id ?? null) && kept.version === (agent?.version ?? null);
  return isOfAgent ? kept.content : null;
}

import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Agent, AgentVersion } from '../generated/client.ts';
import { setUnsaved } from '../session/unsaved-changes.ts';
import { LeaveQuestion } from '../ui/leave-question.tsx';

interface UnsavedGuardProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  readonly versions: readonly AgentVersion[];
  readonly content: string;
  readonly isChanged: boolean;
}

/**
 * Asks before the page is left while it has unsaved changes: by a link, the back button, a reload or a closed tab. The menu of the keys
 * asks before another key is used, and a key that the service refuses leaves the changes behind for the next one.
 */
export function UnsavedGuard({ agent, versions, content, isChanged }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: always,
    disabled: !isChanged,
    withResolver: true,
  });
  useEffect(() => {
    setUnsaved(isChanged ? { agentId: agent?.id ?? null, version: agent?.version ?? null, versions, content } : null);
    return () => setUnsaved(null);
  }, [agent, versions, content, isChanged]);
  return (
    <LeaveQuestion
      isOpen={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** The same function at each rendering, so that the block is not registered again. */
const always = () => true;

import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { setUnsaved, type UnsavedChanges } from '../session/unsaved-changes.ts';
import { LeaveQuestion } from '../ui/leave-question.tsx';

/**
 * Asks before the page is left while it has unsaved changes: by a link, the back button, a reload or a closed tab. The menu of the keys
 * asks before another key is used, and a key that the service refuses leaves the changes behind for the next one.
 */
export function UnsavedGuard({ changes }: { readonly changes: UnsavedChanges | null }) {
  const blocker = useBlocker({
    shouldBlockFn: always,
    disabled: changes === null,
    withResolver: true,
  });
  useEffect(() => {
    setUnsaved(changes);
    return () => setUnsaved(null);
  }, [changes]);
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

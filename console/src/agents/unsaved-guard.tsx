import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { setUnsaved } from '../session/unsaved-changes.ts';
import { LeaveQuestion } from '../ui/leave-question.tsx';

/**
 * Asks before the page is left while it has unsaved changes: by a link, the back button, a reload or a closed tab. The menu of the keys
 * asks before another key is used.
 */
export function UnsavedGuard({ isChanged }: { readonly isChanged: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: always,
    disabled: !isChanged,
    withResolver: true,
  });
  useEffect(() => {
    setUnsaved(isChanged);
    return () => setUnsaved(false);
  }, [isChanged]);
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

import { useBlocker } from '@tanstack/react-router';
import { AlertDialog } from 'radix-ui';
import { useText } from '../i18n/language.tsx';

/** Asks before the page is left while it has unsaved changes: by a link, the back button, a reload or a closed tab. */
export function UnsavedGuard({ isChanged }: { readonly isChanged: boolean }) {
  const { leave } = useText().agents;
  const blocker = useBlocker({
    shouldBlockFn: always,
    disabled: !isChanged,
    withResolver: true,
  });
  return (
    <AlertDialog.Root open={blocker.status === 'blocked'} onOpenChange={() => blocker.reset?.()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="modal stack">
          <AlertDialog.Title>{leave.title}</AlertDialog.Title>
          <AlertDialog.Description>{leave.explanation}</AlertDialog.Description>
          <div className="row">
            <AlertDialog.Cancel className="button button-plain">{leave.stay}</AlertDialog.Cancel>
            <AlertDialog.Action className="button button-bad" onClick={() => blocker.proceed?.()}>
              {leave.leave}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The same function at each rendering, so that the block is not registered again. */
const always = () => true;

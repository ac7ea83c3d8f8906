import { AlertDialog } from 'radix-ui';
import { useText } from '../i18n/language.tsx';

interface LeaveQuestionProps {
  readonly isOpen: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Asks before unsaved changes are lost. */
export function LeaveQuestion({ isOpen, onStay, onLeave }: LeaveQuestionProps) {
  const { leave } = useText().agents;
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={onStay}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="modal stack">
          <AlertDialog.Title>{leave.title}</AlertDialog.Title>
          <AlertDialog.Description>{leave.explanation}</AlertDialog.Description>
          <div className="row">
            <AlertDialog.Cancel className="button button-plain">{leave.stay}</AlertDialog.Cancel>
            <AlertDialog.Action className="button button-bad" onClick={onLeave}>
              {leave.leave}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

import { AlertDialog } from 'radix-ui';
import { useText } from '../i18n/language.tsx';

interface ConfirmProps {
  /** On the button, and on the one that confirms. */
  readonly label: string;
  readonly question: string;
  readonly isDisabled: boolean;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it asks first. */
export function Confirm({ label, question, isDisabled, onConfirm }: ConfirmProps) {
  const text = useText();
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger className="button button-bad" disabled={isDisabled}>
        {label}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="modal stack" aria-describedby={undefined}>
          <AlertDialog.Title>{question}</AlertDialog.Title>
          <div className="row">
            <AlertDialog.Cancel className="button button-plain">{text.common.cancel}</AlertDialog.Cancel>
            <AlertDialog.Action className="button button-bad" onClick={onConfirm}>
              {label}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

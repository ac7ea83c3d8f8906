import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { useText } from '../i18n/language.tsx';

/** Content of a dialog: inside `Dialog.Root`. */
export function Modal({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const text = useText();
  return (
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="modal stack" aria-describedby={undefined}>
        <div className="row spread">
          <Dialog.Title>{title}</Dialog.Title>
          <Dialog.Close className="button button-plain" aria-label={text.common.close}>
            ✕
          </Dialog.Close>
        </div>
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  );
}

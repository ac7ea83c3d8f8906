import { Dialog, DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { activeKey, withoutKey } from '../session/keyring.ts';
import { replaceKeyring, useKeyring } from '../session/keyring-store.ts';
import { KeyForm } from '../session/sign-in.tsx';
import { unsavedChanges } from '../session/unsaved-changes.ts';
import { LeaveQuestion } from '../ui/leave-question.tsx';
import { Modal } from '../ui/modal.tsx';

/** The key in use, the other held keys, and a way to add or remove one. */
export function KeyMenu() {
  const text = useText();
  const keyring = useKeyring();
  const [isAdding, setAdding] = useState(false);
  // The choice that waits for an answer about unsaved changes.
  const [pending, setPending] = useState<(() => void) | null>(null);
  const active = activeKey(keyring);
  if (active === null) return null;
  const { id, name, scopes } = active.key;
  const leave = (choice: () => void) => (unsavedChanges() !== null ? setPending(() => choice) : choice());
  const choose = (chosen: string) => replaceKeyring((before) => ({ ...before, activeId: chosen }));
  const remove = () => replaceKeyring((before) => withoutKey(before, id));
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="button button-plain menu-trigger" aria-label={text.session.account(name)}>
          <span className="cut">{name}</span> <span aria-hidden="true">▾</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" sideOffset={6} align="start" collisionPadding={8}>
            <DropdownMenu.Label className="menu-label">{text.session.keys}</DropdownMenu.Label>
            <DropdownMenu.RadioGroup
              value={id}
              onValueChange={(chosen) => {
                if (chosen !== id) leave(() => choose(chosen));
              }}
            >
              {keyring.held.map(({ key }) => (
                <DropdownMenu.RadioItem key={key.id} value={key.id} className="menu-item">
                  <DropdownMenu.ItemIndicator className="menu-mark">✓</DropdownMenu.ItemIndicator>
                  <span>
                    {key.name} <span className="quiet">{key.organization_id.slice(-4)}</span>
                  </span>
                </DropdownMenu.RadioItem>
              ))}
            </DropdownMenu.RadioGroup>
            <DropdownMenu.Label className="menu-label">
              {text.common.pair(text.session.scopes, scopes.join(', '))}
            </DropdownMenu.Label>
            <DropdownMenu.Separator className="menu-line" />
            <DropdownMenu.Item className="menu-item" onSelect={() => leave(() => setAdding(true))}>
              {text.session.addKey}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => leave(remove)}>
              {text.session.removeKey}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <LeaveQuestion
        isOpen={pending !== null}
        onStay={() => setPending(null)}
        onLeave={() => {
          setPending(null);
          pending?.();
        }}
      />
      <Dialog.Root open={isAdding} onOpenChange={setAdding}>
        <Modal title={text.session.addKey}>
          <KeyForm onAdded={() => setAdding(false)} />
        </Modal>
      </Dialog.Root>
    </>
  );
}

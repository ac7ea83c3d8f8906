import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../../api/connection.ts';
import { transferCall } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Transfers the user to a number or SIP address, after an announcement of the agent. */
export function TransferForm({ id }: { readonly id: string }) {
  const { call: text, evidence } = useText();
  const field = useId();
  const [destination, setDestination] = useState('');
  const [announcement, setAnnouncement] = useState('');
  const sent = useMutation({
    mutationFn: () => bodyOf(transferCall(id, { destination, ...(announcement.trim() !== '' && { announcement }) })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sent.mutate();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor={field}>{text.transferTo}</label>
      <input
        id={field}
        required
        inputMode="tel"
        placeholder="+4930123456"
        value={destination}
        onChange={({ target }) => setDestination(target.value)}
      />
      <input
        aria-label={text.announcement}
        placeholder={text.announcement}
        value={announcement}
        onChange={({ target }) => setAnnouncement(target.value)}
      />
      <div className="row">
        <Button type="submit" disabled={sent.isPending || destination.trim() === ''}>
          {text.transfer}
        </Button>
        {sent.isSuccess && <Notice tone="good">{evidence.sent.transfer}</Notice>}
        <ErrorNotice error={sent.error} />
      </div>
    </form>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../../api/connection.ts';
import { addContext, type Call, sayOnCall, terminateCall } from '../../generated/client.ts';
import { useText } from '../../i18n/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TransferForm } from './transfer-form.tsx';

/** The actions on a running call: say, add context, transfer, terminate. */
export function LivePanel({ call }: { readonly call: Call }) {
  const text = useText();
  const [isInterrupting, setInterrupting] = useState(false);
  return (
    <section className="card stack" aria-label={text.call.live}>
      <div className="row spread">
        <h2>{text.call.live}</h2>
        {call.type === 'phone_call' && <Terminate id={call.id} />}
      </div>
      {call.status === 'in_progress' && (
        <div className="columns">
          <LineForm
            label={text.call.say}
            done={text.evidence.sent.say}
            send={(line) => bodyOf(sayOnCall(call.id, { text: line, interrupt: isInterrupting }))}
          >
            <label className="row">
              <input
                type="checkbox"
                checked={isInterrupting}
                onChange={({ target }) => setInterrupting(target.checked)}
              />
              {text.call.interrupt}
            </label>
          </LineForm>
          <LineForm
            label={text.call.context}
            done={text.evidence.sent.context}
            send={(line) => bodyOf(addContext(call.id, { content: line }))}
          />
          {call.type === 'phone_call' && <TransferForm id={call.id} />}
        </div>
      )}
    </section>
  );
}

interface LineFormProps {
  readonly label: string;
  /** Shown once it was sent. */
  readonly done: string;
  readonly send: (line: string) => Promise<unknown>;
  readonly children?: React.ReactNode;
}

function LineForm({ label, done, send, children }: LineFormProps) {
  const text = useText();
  const field = useId();
  const [line, setLine] = useState('');
  const sent = useMutation({ mutationFn: send, onSuccess: () => setLine('') });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sent.mutate(line);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor={field}>{label}</label>
      <textarea id={field} rows={2} required value={line} onChange={({ target }) => setLine(target.value)} />
      {children}
      <div className="row">
        <Button type="submit" disabled={sent.isPending || line.trim() === ''}>
          {text.call.send}
        </Button>
        {sent.isSuccess && <Notice tone="good">{done}</Notice>}
        <ErrorNotice error={sent.error} />
      </div>
    </form>
  );
}

function Terminate({ id }: { readonly id: string }) {
  const text = useText();
  const client = useQueryClient();
  const ended = useMutation({
    mutationFn: () => bodyOf(terminateCall(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['call', id] }),
  });
  return (
    <>
      <Confirm
        label={text.call.terminate}
        question={text.call.terminateQuestion}
        isDisabled={ended.isPending}
        onConfirm={() => ended.mutate()}
      />
      <ErrorNotice error={ended.error} />
    </>
  );
}

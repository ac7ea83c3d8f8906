import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { createApiKey, type Scope } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';

const NAME_LENGTH_MAX = 100;
const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];

/** Creates a key and shows it, once: it is not kept when the page is left. */
export function CreateKey() {
  const text = useText();
  const client = useQueryClient();
  const fieldId = useId();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const creation = useMutation({
    // Removes the key from the mutation cache when the page is left.
    gcTime: 0,
    mutationFn: () => bodyOf(createApiKey({ name: name.trim(), scopes: [...scopes] })),
    onSuccess: () => {
      setName('');
      return client.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate();
  };
  return (
    <form className="card stack" onSubmit={submit}>
      <label htmlFor={fieldId}>{text.keys.newName}</label>
      <input
        id={fieldId}
        required
        maxLength={NAME_LENGTH_MAX}
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset className="row plain">
        <legend className="visually-hidden">{text.session.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="row choice">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                setScopes(SCOPES.filter((known) => (known === scope ? target.checked : scopes.includes(known))))
              }
            />
            {text.keys.scopes[scope]}
          </label>
        ))}
      </fieldset>
      <div>
        <Button tone="main" type="submit" disabled={creation.isPending || name.trim() === '' || scopes.length === 0}>
          {text.keys.create}
        </Button>
      </div>
      <ErrorNotice error={creation.error} />
      {creation.data !== undefined && <NewKey secret={creation.data.data.key} />}
    </form>
  );
}

function NewKey({ secret }: { readonly secret: string }) {
  const text = useText();
  const fieldId = useId();
  const copied = useMutation({ mutationFn: () => navigator.clipboard.writeText(secret) });
  return (
    <Notice tone="good">
      <label htmlFor={fieldId}>{text.keys.shownOnce}</label>
      <input id={fieldId} className="mono" readOnly value={secret} onFocus={({ target }) => target.select()} />
      <Button onClick={() => copied.mutate()}>{copied.isSuccess ? text.keys.copied : text.keys.copy}</Button>
    </Notice>
  );
}

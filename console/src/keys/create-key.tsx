import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../api/connection.ts';
import { createApiKey, type Scope } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

const NAME_LENGTH_MAX = 100;
const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];

/** Creates a key and shows it, once: it is not kept when the page is left. */
export function CreateKey() {
  const text = useText();
  const client = useQueryClient();
  const field = useId();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const created = useMutation({
    // The cache of mutations forgets the key with the page.
    gcTime: 0,
    mutationFn: () => bodyOf(createApiKey({ name: name.trim(), scopes: [...scopes] })),
    onSuccess: () => {
      setName('');
      return client.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    created.mutate();
  };
  return (
    <form className="card stack" onSubmit={submit}>
      <label htmlFor={field}>{text.keys.newName}</label>
      <input
        id={field}
        required
        maxLength={NAME_LENGTH_MAX}
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset className="row plain">
        <legend className="visually-hidden">{text.session.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className="row">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                setScopes(SCOPES.filter((one) => (one === scope ? target.checked : scopes.includes(one))))
              }
            />
            {text.keys.scopes[scope]}
          </label>
        ))}
      </fieldset>
      <div>
        <Button tone="main" type="submit" disabled={created.isPending || name.trim() === '' || scopes.length === 0}>
          {text.keys.create}
        </Button>
      </div>
      {created.error !== null && <Notice tone="bad">{created.error.message}</Notice>}
      {created.data !== undefined && <NewKey secret={created.data.data.key} />}
    </form>
  );
}

function NewKey({ secret }: { readonly secret: string }) {
  const text = useText();
  const field = useId();
  const copied = useMutation({ mutationFn: () => navigator.clipboard.writeText(secret) });
  return (
    <Notice tone="good">
      <label htmlFor={field}>{text.keys.shownOnce}</label>
      <input id={field} className="mono" readOnly value={secret} onFocus={({ target }) => target.select()} />
      <Button onClick={() => copied.mutate()}>{copied.isSuccess ? text.keys.copied : text.keys.copy}</Button>
    </Notice>
  );
}

import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { ApiFailure } from '../api/api-failure.ts';
import { bodyOf } from '../api/connection.ts';
import { getCurrentApiKey } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/error-text.ts';
import { Notice } from '../ui/notice.tsx';
import { useKeptChanges } from './kept-changes.ts';
import { withKey } from './keyring.ts';
import { replaceKeyring, useKeyring } from './keyring-store.ts';

/** Printable ASCII: a key has no other characters, and the header of a request takes none. */
const KEY_PATTERN = /^[ -~]+$/;

/** Asks for an API key, and keeps it once the service knows it. */
export function KeyForm({ onAdded }: { readonly onAdded?: () => void }) {
  const text = useText();
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [secret, setSecret] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isChecking, setChecking] = useState(false);

  // Nothing else can be done before a key is typed.
  useEffect(() => input.current?.focus(), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A key that was copied from a page may have no-break spaces around it.
    const given = secret.trim();
    if (!KEY_PATTERN.test(given)) return setFault(text.session.refused);
    setChecking(true);
    setFault(null);
    try {
      const { data } = await bodyOf(getCurrentApiKey({ headers: { 'x-api-key': given } }));
      replaceKeyring((before) => withKey(before, { secret: given, key: data }));
      onAdded?.();
    } catch (error) {
      setFault(faultText(error, text));
    } finally {
      setChecking(false);
    }
  };

  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <label htmlFor={field}>{text.session.key}</label>
      <input
        id={field}
        ref={input}
        type="password"
        autoComplete="off"
        required
        value={secret}
        onChange={({ target }) => setSecret(target.value)}
      />
      {fault !== null && <Notice tone="bad">{fault}</Notice>}
      <Button tone="main" type="submit" disabled={isChecking}>
        {text.session.signIn}
      </Button>
    </form>
  );
}

/** The service words the refusal of a key for a developer, in English. */
function faultText(error: unknown, text: Messages): string {
  return error instanceof ApiFailure && error.status === 401 ? text.session.refused : errorText(error, text);
}

export function SignInPage() {
  const text = useText();
  const { isRefused } = useKeyring();
  const kept = useKeptChanges();
  return (
    <main className="sign-in">
      <div className="card stack">
        <h1>Trunkline</h1>
        <p className="quiet">{text.session.explanation}</p>
        {isRefused && <Notice tone="bad">{text.session.refused}</Notice>}
        {kept !== null && <Notice tone="warn">{text.session.kept}</Notice>}
        <KeyForm />
      </div>
    </main>
  );
}

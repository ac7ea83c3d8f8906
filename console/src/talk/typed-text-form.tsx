import { type FormEvent, useId, useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';

/** Longest text that the service takes as one message. */
const TYPED_TEXT_LENGTH_MAX = 1_000;

interface TypedTextFormProps {
  readonly isDisabled: boolean;
  readonly onTypedText: (typed: string) => void;
}

/** The form for text that the user writes instead of speaking. */
export function TypedTextForm({ isDisabled, onTypedText }: TypedTextFormProps) {
  const text = useText();
  const field = useId();
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === '') return;
    onTypedText(typed);
    setTyped('');
  };
  return (
    <form className="talk-typed-text" onSubmit={submit}>
      <label className="visually-hidden" htmlFor={field}>
        {text.talk.typedText}
      </label>
      <input
        id={field}
        autoComplete="off"
        placeholder={text.talk.typedText}
        maxLength={TYPED_TEXT_LENGTH_MAX}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit" disabled={isDisabled}>
        {text.talk.send}
      </Button>
    </form>
  );
}

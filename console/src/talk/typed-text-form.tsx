import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';

/** Longest text that the service takes as one message. */
const TYPED_TEXT_LENGTH_MAX = 1_000;

interface TypedTextFormProps {
  readonly isDisabled: boolean;
  /** The user has chosen to write: the field takes the focus. */
  readonly isChosen: boolean;
  readonly onTypedText: (typed: string) => void;
}

/** The form for text that the user writes instead of speaking. */
export function TypedTextForm({ isDisabled, isChosen, onTypedText }: TypedTextFormProps) {
  const text = useText();
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  useEffect(() => {
    if (isChosen) input.current?.focus();
  }, [isChosen]);
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
        ref={input}
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

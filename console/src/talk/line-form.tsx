import { type FormEvent, useId, useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';

/** Longest text that the service takes as one message. */
const LINE_LENGTH_MAX = 1_000;

interface LineFormProps {
  readonly isDisabled: boolean;
  readonly onLine: (line: string) => void;
}

/** What the user writes instead of speaking. */
export function LineForm({ isDisabled, onLine }: LineFormProps) {
  const text = useText();
  const field = useId();
  const [line, setLine] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (line.trim() === '') return;
    onLine(line);
    setLine('');
  };
  return (
    <form className="talk-line" onSubmit={submit}>
      <label className="visually-hidden" htmlFor={field}>
        {text.talk.line}
      </label>
      <input
        id={field}
        autoComplete="off"
        placeholder={text.talk.line}
        maxLength={LINE_LENGTH_MAX}
        value={line}
        onChange={({ target }) => setLine(target.value)}
      />
      <Button type="submit" disabled={isDisabled}>
        {text.talk.send}
      </Button>
    </form>
  );
}

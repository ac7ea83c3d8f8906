import { useEffect, useId, useState } from 'react';

interface NameFieldProps {
  readonly label: string;
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** A name that other parts refer to: it changes when the field is left or by Enter, not with each letter. */
export function NameField({ label, name, onName }: NameFieldProps) {
  const field = useId();
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  const take = () => {
    onName(typed.trim());
    setTyped(name);
  };
  return (
    <>
      <label htmlFor={field}>{label}</label>
      <input
        id={field}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
      />
    </>
  );
}

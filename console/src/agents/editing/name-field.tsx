import { useEffect, useId, useState } from 'react';

interface NameFieldProps {
  readonly label: string;
  readonly name: string;
  /** Why a name cannot be taken; null: it can. */
  readonly faultOf: (name: string) => string | null;
  readonly onName: (name: string) => void;
}

/** A name that other parts refer to: it changes when the field is left or by Enter, not with each letter. */
export function NameField({ label, name, faultOf, onName }: NameFieldProps) {
  const field = useId();
  const reason = useId();
  const [typed, setTyped] = useState(name);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    setTyped(name);
    setFault(null);
  }, [name]);
  const take = () => {
    const found = faultOf(typed.trim());
    setFault(found);
    if (found !== null) return;
    onName(typed.trim());
    setTyped(name);
  };
  return (
    <>
      <label htmlFor={field}>{label}</label>
      <input
        id={field}
        value={typed}
        aria-invalid={fault !== null}
        aria-describedby={reason}
        onChange={({ target }) => {
          setTyped(target.value);
          setFault(null);
        }}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
      />
      <p id={reason} role="alert" className="field-fault">
        {fault}
      </p>
    </>
  );
}

import { SERVICE_URL } from '../api/connection.ts';
import { HAS_REFERENCE } from '../api/reference.ts';
import { useText } from '../i18n/language.tsx';

interface OverApiProps {
  /** What is done so. */
  readonly purpose: string;
  readonly operation: string;
}

/** Names the operation of the API for what the page does not do. */
export function OverApi({ operation, purpose }: OverApiProps) {
  const { shell } = useText();
  return (
    <p className="quiet">
      {purpose} <code>{operation}</code>
      {HAS_REFERENCE && (
        <>
          {' · '}
          <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer">
            {shell.reference} <span aria-hidden="true">↗</span>
          </a>
        </>
      )}
    </p>
  );
}

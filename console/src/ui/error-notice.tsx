import { useText } from '../i18n/language.tsx';
import { errorText } from './error-text.ts';
import { Notice } from './notice.tsx';

/** Shows why a request failed. Nothing without an error. */
export function ErrorNotice({ error }: { readonly error: Error | null }) {
  const text = useText();
  return error === null ? null : <Notice tone="bad">{errorText(error, text)}</Notice>;
}

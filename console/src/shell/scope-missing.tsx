import type { Scope } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Notice } from '../ui/notice.tsx';

/** Stands in place of a page that the key in use may not open. */
export function ScopeMissing({ scope }: { readonly scope: Scope }) {
  const { session: text } = useText();
  return (
    <section className="page">
      <h1>{text.noAccess}</h1>
      <Notice tone="warn">{text.scopeMissing(scope)}</Notice>
    </section>
  );
}

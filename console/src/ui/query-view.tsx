import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../i18n/language.tsx';
import { errorText } from './error-text.ts';
import { Notice } from './notice.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** The state of a query: its data, a sign that it loads, or why it failed. After a temporary failure it goes on. */
export function QueryView<T>({ query, children }: QueryViewProps<T>) {
  const text = useText();
  if (query.data !== undefined) return <>{children(query.data)}</>;
  // The error of a query is known only once it is given up.
  const error = query.error ?? query.failureReason;
  if (error === null) return <Loading />;
  return (
    <Notice tone="bad">
      <p>{errorText(error, text)}</p>
      {query.error === null && <p>{text.common.retrying}</p>}
    </Notice>
  );
}

/** Takes the place of what is read. */
export function Loading() {
  const text = useText();
  return (
    <p className="quiet" aria-busy="true">
      {text.common.loading}
    </p>
  );
}

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../i18n/language.tsx';
import { Button } from './button.tsx';
import { errorText } from './error-text.ts';
import { Notice } from './notice.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** The state of a query: its data, a sign that it loads, or its error with a button to try again. */
export function QueryView<T>({ query, children }: QueryViewProps<T>) {
  const text = useText();
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error === null) {
    return (
      <p className="quiet" aria-busy="true">
        {text.common.loading}
      </p>
    );
  }
  return (
    <Notice tone="bad">
      <p>{errorText(query.error, text)}</p>
      <Button onClick={() => void query.refetch()}>{text.common.tryAgain}</Button>
    </Notice>
  );
}

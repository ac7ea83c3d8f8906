import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { listCalls } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CallTable } from './call-table.tsx';

const PAGE_CALLS = 100;

export function CallsPage() {
  const text = useText();
  const query = useInfiniteQuery({
    queryKey: ['calls'],
    queryFn: ({ pageParam }) =>
      bodyOf(listCalls({ limit: PAGE_CALLS, ...(pageParam !== null && { cursor: pageParam }) })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
  return (
    <section className="page">
      <h1>{text.calls.title}</h1>
      <QueryView query={query}>
        {({ pages }) => {
          const calls = pages.flatMap(({ data }) => data);
          return calls.length === 0 ? <p className="quiet">{text.calls.empty}</p> : <CallTable calls={calls} />;
        }}
      </QueryView>
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {text.common.more}
        </Button>
      )}
    </section>
  );
}

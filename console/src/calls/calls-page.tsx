import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { listCalls } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CallFilters } from './call-filters.tsx';
import { listQueryOf } from './call-search.ts';
import { CallTable } from './call-table.tsx';

const PAGE_CALLS = 100;
/** Running calls are shown at once, as many as fit into one answer. */
const RUNNING_CALLS_MAX = 500;
/** How often running calls are read again, ms. Far below the rate limit of a key, and no slower than a person reads. */
const RUNNING_INTERVAL_MS = 2_000;

export function CallsPage() {
  const text = useText();
  const search = useSearch({ from: '/calls' });
  const isRunning = search.view === 'running';
  const limit = isRunning ? RUNNING_CALLS_MAX : PAGE_CALLS;
  const query = useInfiniteQuery({
    queryKey: ['calls', search],
    queryFn: ({ pageParam }) =>
      bodyOf(listCalls({ ...listQueryOf(search), limit, ...(pageParam !== '' && { cursor: pageParam }) })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
    refetchInterval: isRunning ? RUNNING_INTERVAL_MS : false,
  });
  return (
    <section className="page">
      <div className="row spread">
        <h1>{text.calls.title}</h1>
        <nav aria-label={text.calls.title} className="tabs">
          <Link to="/calls" search={{ ...search, view: 'running' }}>
            {text.calls.running}
          </Link>
          <Link to="/calls" search={({ view: _, ...rest }) => rest} activeOptions={{ exact: true }}>
            {text.calls.stored}
          </Link>
        </nav>
      </div>
      <CallFilters search={search} />
      <QueryView query={query}>
        {({ pages }) => {
          const calls = pages.flatMap(({ data }) => data);
          const empty = isRunning ? text.calls.emptyRunning : text.calls.empty;
          return calls.length === 0 ? <p className="quiet">{empty}</p> : <CallTable calls={calls} />;
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

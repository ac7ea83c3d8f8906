import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { bodyOf } from '../api/connection.ts';
import { type Call, listCalls } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { CallFilters } from './call-filters.tsx';
import { type CallSearch, isFiltered, listQueryOf } from './call-search.ts';
import { CallTable } from './call-table.tsx';
import { RunningCalls } from './running-calls.tsx';

const PAGE_CALLS = 100;
/** How often the list is read again, ms: while a listed call changes, and else for new calls. As often for each of its pages. */
const READ_INTERVAL_MS = { changing: 3_000, ended: 15_000 };

export function CallsPage() {
  const text = useText();
  const search = useSearch({ from: '/calls' });
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
      {search.view === 'running' ? (
        <RunningCalls key={`${search.agent} ${search.type}`} filter={search} />
      ) : (
        <StoredCalls search={search} />
      )}
    </section>
  );
}

function StoredCalls({ search }: { readonly search: CallSearch }) {
  const text = useText();
  const query = useInfiniteQuery({
    queryKey: ['calls', search],
    queryFn: ({ pageParam }) =>
      bodyOf(listCalls({ ...listQueryOf(search), limit: PAGE_CALLS, ...(pageParam !== '' && { cursor: pageParam }) })),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
    refetchInterval: ({ state }) => readIntervalMs(state.data?.pages ?? []),
  });
  return (
    <>
      <QueryView query={query}>
        {({ pages }) => {
          const calls = pages.flatMap(({ data }) => data);
          return calls.length === 0 && !query.hasNextPage ? (
            <p className="quiet">{isFiltered(search) ? text.calls.empty : text.calls.none}</p>
          ) : (
            <CallTable calls={calls} />
          );
        }}
      </QueryView>
      <MoreButton query={query} />
    </>
  );
}

/** The service gets the same number of requests from a list of many pages. */
function readIntervalMs(pages: readonly { readonly data: readonly Call[] }[]): number {
  const isChanging = pages.some(({ data }) => data.some((call) => call.end_time === null));
  return Math.max(1, pages.length) * (isChanging ? READ_INTERVAL_MS.changing : READ_INTERVAL_MS.ended);
}

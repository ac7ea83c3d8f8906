import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAgentNames } from '../api/agent-list.ts';
import { bodyOf } from '../api/connection.ts';
import { getCallAnalytics, getResponseTimes } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AnalyticsFilters } from './analytics-filters.tsx';
import { callsQuery, RANGES, rangeFilter } from './analytics-search.ts';
import { CallPlots, ResponsePlot } from './call-plots.tsx';
import { CostPlot, CostTable } from './cost-panels.tsx';
import { GroupTable, ProviderTables } from './group-tables.tsx';

/** Numbers of the ended calls of a range, as plots and tables. */
export function AnalyticsPage() {
  const { analytics: text } = useText();
  const search = useSearch({ from: '/analytics' });
  // The end of the range, until the page is opened again.
  const [nowMs] = useState(() => Math.floor(Date.now() / 60_000) * 60_000 + 60_000);
  const interval = RANGES[search.days ?? 7];
  const filter = callsQuery(search, nowMs);
  const calls = useQuery({
    queryKey: ['analytics', 'calls', search.days, search.agent, search.direction, nowMs],
    queryFn: () => bodyOf(getCallAnalytics({ ...filter, interval })),
  });
  const times = useQuery({
    queryKey: ['analytics', 'times', search.days, search.agent, nowMs],
    queryFn: () => bodyOf(getResponseTimes({ ...rangeFilter(search, nowMs), interval: 'day' })),
  });
  const names = useAgentNames();
  return (
    <section className="page">
      <h1>{text.title}</h1>
      <p className="quiet">{text.explanation}</p>
      <AnalyticsFilters search={search} agents={names} />
      <div className="plots">
        <QueryView query={calls}>{({ data }) => <CallPlots calls={data} interval={interval} />}</QueryView>
        <QueryView query={times}>{({ data }) => <ResponsePlot times={data} search={search} />}</QueryView>
        <CostPlot search={search} nowMs={nowMs} />
      </div>
      <GroupTable search={search} nowMs={nowMs} agents={names} />
      <ProviderTables search={search} nowMs={nowMs} />
      <CostTable search={search} nowMs={nowMs} />
    </section>
  );
}

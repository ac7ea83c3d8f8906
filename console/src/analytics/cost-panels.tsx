import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { bodyOf } from '../api/connection.ts';
import { money } from '../format/money.ts';
import { type CostRow, type Costs, getCosts } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { DataTable, numberColumns } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AllDirections } from './all-directions.tsx';
import { type AnalyticsSearch, rangeFilter } from './analytics-search.ts';
import { costLines, costShares } from './cost-rows.ts';
import { PlotPanel } from './plot-panel.tsx';
import { seriesOf } from './series.ts';

interface CostsProps {
  readonly search: AnalyticsSearch;
  readonly nowMs: number;
}

/** The cost of each provider by day. */
export function CostPlot({ nowMs, search }: CostsProps) {
  const query = useQuery({
    queryKey: ['analytics', 'costs', 'day', search.days, search.agent, nowMs],
    queryFn: () => bodyOf(getCosts({ ...rangeFilter(search, nowMs), interval: 'day', groupBy: 'provider' })),
  });
  return <QueryView query={query}>{({ data }) => <DrawnCosts costs={data} search={search} />}</QueryView>;
}

function DrawnCosts({ costs, search }: Pick<CostsProps, 'search'> & { readonly costs: Costs }) {
  const { analytics: text } = useText();
  const { lines, times } = useMemo(() => {
    const days = seriesOf(costs, 'day').times;
    const named = costLines(costs.rows, days).map(({ of, values }) => ({
      name: of === null ? text.others : providerName(of, text),
      values,
    }));
    return { times: days, lines: named };
  }, [costs, text]);
  return (
    <PlotPanel title={text.costByProvider} times={times} lines={lines} format={money}>
      <AllDirections search={search} />
    </PlotPanel>
  );
}

/** The cost of each provider and model in the range, and its share. */
export function CostTable({ nowMs, search }: CostsProps) {
  const { language, messages } = useLanguage();
  const text = messages.analytics;
  const query = useQuery({
    queryKey: ['analytics', 'costs', 'total', search.days, search.agent, nowMs],
    queryFn: () => bodyOf(getCosts({ ...rangeFilter(search, nowMs), interval: 'total', groupBy: 'model' })),
  });
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const columns = [text.provider, text.model, ...numberColumns(text.calls, text.cost, text.share)];
  return (
    <div className="stack">
      <h2>{text.costs}</h2>
      <AllDirections search={search} />
      <QueryView query={query}>
        {({ data }) => (
          <DataTable label={text.costs} columns={columns} empty={text.noCosts}>
            {costShares(data.rows).map(({ row, share: part }) => (
              <tr key={`${row.kind} ${row.provider} ${row.model}`}>
                <th scope="row">{providerName(row, text)}</th>
                <td>{row.model ?? ''}</td>
                <td className="number">{row.calls.toLocaleString(language)}</td>
                <td className="number">{money(row.cost, language)}</td>
                <td className="number">{share.format(part)}</td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
}

function providerName({ kind, provider }: Pick<CostRow, 'kind' | 'provider'>, text: Messages['analytics']): string {
  return kind === 'telephony' ? text.telephony : `${provider} (${text.kinds[kind]})`;
}

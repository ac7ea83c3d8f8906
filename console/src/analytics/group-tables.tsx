import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { money } from '../format/money.ts';
import { clockTime, shortTime } from '../format/time.ts';
import {
  getCallAnalytics,
  getResponseTimes,
  getUsage,
  type ResponseTimesRow,
  type UsageRow,
} from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage } from '../i18n/language.tsx';
import { DataTable, numberColumns } from '../ui/data-table.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AllDirections } from './all-directions.tsx';
import { type AnalyticsSearch, callsQuery, rangeFilter } from './analytics-search.ts';
import { groupName } from './group-name.ts';

interface GroupTableProps {
  readonly search: AnalyticsSearch;
  readonly nowMs: number;
  readonly agents: ReadonlyMap<string, string>;
}

/** Sums of the range for each agent, direction, end reason or answer type. */
export function GroupTable({ agents, nowMs, search }: GroupTableProps) {
  const { language, messages } = useLanguage();
  const text = messages.analytics;
  const groupBy = search.group ?? 'agent_id';
  // Response times are counted by agent, in all directions.
  const hasTimes = groupBy === 'agent_id' && search.direction === undefined;
  const query = useQuery({
    queryKey: ['analytics', 'groups', search, nowMs],
    queryFn: async () => {
      const [calls, times] = await Promise.all([
        bodyOf(getCallAnalytics({ ...callsQuery(search, nowMs), interval: 'total', groupBy })),
        hasTimes ? bodyOf(getResponseTimes({ ...rangeFilter(search, nowMs), interval: 'total', groupBy })) : null,
      ]);
      const found = (times?.data.rows ?? []).map((row) => [row.group, row] as const);
      return { rows: calls.data.rows, times: new Map(found) };
    },
  });
  const columns = [
    text.groups[groupBy],
    ...numberColumns(
      text.calls,
      text.answered,
      text.duration,
      ...(hasTimes ? [text.median, text.p95] : []),
      text.cost,
      text.interruptions,
      text.falseInterruptions,
      text.silences,
      text.toolFailures,
    ),
  ];
  return (
    <div className="stack">
      <h2>{text.groups[groupBy]}</h2>
      <QueryView query={query}>
        {({ rows, times }) => (
          <DataTable label={text.groups[groupBy]} columns={columns} empty={text.empty}>
            {rows.map((row) => (
              <tr key={row.group ?? ''}>
                <th scope="row" className="cell-text">
                  {groupName(row.group, groupBy, agents, messages)}
                </th>
                <td className="number">{row.calls.toLocaleString(language)}</td>
                <td className="number">{row.answered_calls.toLocaleString(language)}</td>
                <td className="number">{clockTime(row.duration_seconds * 1_000)}</td>
                {hasTimes && <MeasuredTimes measured={times.get(row.group)} />}
                <td className="number">{costOf(row.cost.total, language)}</td>
                <td className="number">{row.interruptions.toLocaleString(language)}</td>
                <td className="number">{row.false_interruptions.toLocaleString(language)}</td>
                <td className="number">{row.silences.toLocaleString(language)}</td>
                <td className="number">{row.tool_failures.toLocaleString(language)}</td>
              </tr>
            ))}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
}

/** Usage of each provider in the range, and the response times of the calls that used it: the service sums no times of single stages. */
export function ProviderTables({ nowMs, search }: Omit<GroupTableProps, 'agents'>) {
  const { language, messages } = useLanguage();
  const text = messages.analytics;
  const range = rangeFilter(search, nowMs);
  const query = useQuery({
    queryKey: ['analytics', 'providers', search.agent, search.days, nowMs],
    queryFn: async () => {
      const kinds = ['transcriber', 'llm', 'voice'] as const;
      const times = (groupBy: (typeof kinds)[number]) =>
        bodyOf(getResponseTimes({ ...range, interval: 'total', groupBy }));
      const [used, ...measured] = await Promise.all([
        bodyOf(getUsage({ ...range, interval: 'total' })),
        ...kinds.map(times),
      ]);
      const found = measured.flatMap(({ data }, at) =>
        data.rows.map((row) => [`${kinds[at]} ${row.group}`, row] as const),
      );
      return { rows: used.data.rows, times: new Map(found) };
    },
  });
  const columns = [text.provider, text.model, ...numberColumns(text.calls, text.used, text.callMedian, text.callP95)];
  return (
    <div className="stack">
      <h2>{text.providers}</h2>
      <AllDirections search={search} />
      <QueryView query={query}>
        {({ rows, times }) => (
          <DataTable label={text.providers} columns={columns} empty={text.empty}>
            {rows.map((row) => {
              const measured = times.get(`${row.kind} ${row.provider}`);
              return (
                <tr key={`${row.kind} ${row.provider} ${row.model}`}>
                  <th scope="row">{`${row.provider} (${text.kinds[row.kind]})`}</th>
                  <td>{row.model ?? ''}</td>
                  <td className="number">{row.calls.toLocaleString(language)}</td>
                  <td className="number">{usedOf(row, messages, language)}</td>
                  <MeasuredTimes measured={measured} />
                </tr>
              );
            })}
          </DataTable>
        )}
      </QueryView>
    </div>
  );
}

function MeasuredTimes({ measured }: { readonly measured: ResponseTimesRow | undefined }) {
  const { language } = useLanguage();
  return (
    <>
      <td className="number">{measured === undefined ? '–' : shortTime(measured.p50_ms, language)}</td>
      <td className="number">{measured === undefined ? '–' : shortTime(measured.p95_ms, language)}</td>
    </>
  );
}

/** Without a price the service counts 0. */
function costOf(cost: number, language: string): string {
  return cost === 0 ? '–' : money(cost, language);
}

function usedOf(row: UsageRow, { analytics: text }: Messages, language: string): string {
  switch (row.kind) {
    case 'transcriber':
      return clockTime(row.audio_seconds * 1_000);
    case 'llm':
      return text.tokens(row.input_tokens.toLocaleString(language), row.output_tokens.toLocaleString(language));
    case 'voice':
      return text.characters(row.characters.toLocaleString(language));
  }
}

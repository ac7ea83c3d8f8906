import { useMemo } from 'react';
import { money } from '../format/money.ts';
import type { CallAnalytics, ResponseTimes } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { AllDirections } from './all-directions.tsx';
import type { AnalyticsSearch } from './analytics-search.ts';
import { PlotPanel } from './plot-panel.tsx';
import { seriesOf } from './series.ts';

interface CallPlotsProps {
  readonly calls: CallAnalytics;
  readonly interval: 'hour' | 'day';
}

/** Numbers of calls, their cost, and what went wrong in them, over time. */
export function CallPlots({ calls, interval }: CallPlotsProps) {
  const { analytics: text } = useText();
  const { rows, times } = useMemo(() => seriesOf(calls, interval), [calls, interval]);
  const numbers = useMemo(
    () => [
      { name: text.calls, values: rows.map((row) => row?.calls ?? 0) },
      { name: text.answered, values: rows.map((row) => row?.answered_calls ?? 0) },
    ],
    [rows, text],
  );
  const troubles = useMemo(
    () => [
      { name: text.interruptions, values: rows.map((row) => row?.interruptions ?? 0) },
      { name: text.falseInterruptions, values: rows.map((row) => row?.false_interruptions ?? 0) },
      { name: text.silences, values: rows.map((row) => row?.silences ?? 0) },
      { name: text.toolFailures, values: rows.map((row) => row?.tool_failures ?? 0) },
    ],
    [rows, text],
  );
  const cost = useMemo(() => [{ name: text.cost, values: rows.map((row) => row?.cost.total ?? 0) }], [rows, text]);
  return (
    <>
      <PlotPanel title={text.callsOverTime} times={times} lines={numbers} />
      <PlotPanel title={text.troubles} times={times} lines={troubles} />
      <PlotPanel title={text.cost} times={times} lines={cost} format={money} />
    </>
  );
}

interface ResponsePlotProps {
  readonly times: ResponseTimes;
  readonly search: AnalyticsSearch;
}

/** Response times by day. */
export function ResponsePlot({ search, times: answer }: ResponsePlotProps) {
  const { analytics: text } = useText();
  const { rows, times } = useMemo(() => seriesOf(answer, 'day'), [answer]);
  const lines = useMemo(
    () => [
      { name: text.median, values: rows.map((row) => row?.p50_ms ?? null) },
      { name: text.p95, values: rows.map((row) => row?.p95_ms ?? null) },
    ],
    [rows, text],
  );
  return (
    <PlotPanel title={text.responseTimes} times={times} lines={lines}>
      <AllDirections search={search} />
    </PlotPanel>
  );
}

import type { ReactNode } from 'react';
import { useLanguage } from '../i18n/language.tsx';
import { DataTable, numberColumns } from '../ui/data-table.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { PlotLine } from './plot.tsx';

const Plot = lazyPart(async () => (await import('./plot.tsx')).Plot);

interface PlotPanelProps {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  /** The form of a value in a language. Absent: that of a number. */
  readonly format?: (value: number, language: string) => string;
  /** A note below the title. */
  readonly children?: ReactNode;
}

/** A plot, and its values as a table. */
export function PlotPanel({ children, format = plain, lines, times, title }: PlotPanelProps) {
  const { language, messages } = useLanguage();
  const text = messages.analytics;
  const shown = (value: number | null | undefined) => (typeof value === 'number' ? format(value, language) : '–');
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null || value === 0));
  const time = new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
      {isEmpty ? (
        <p className="quiet">{text.empty}</p>
      ) : (
        <>
          <Plot label={text.plotOf(title)} times={times} lines={lines} format={format} />
          <details>
            <summary>{text.asTable}</summary>
            <DataTable
              label={text.tableOf(title)}
              columns={[text.timeUtc, ...numberColumns(...lines.map(({ name }) => name))]}
              empty={text.empty}
            >
              {times.map((seconds, at) => (
                <tr key={seconds}>
                  <td>{time.format(seconds * 1_000)}</td>
                  {lines.map(({ name, values }) => (
                    <td key={name} className="number">
                      {shown(values[at])}
                    </td>
                  ))}
                </tr>
              ))}
            </DataTable>
          </details>
        </>
      )}
    </section>
  );
}

function plain(value: number, language: string): string {
  return value.toLocaleString(language);
}

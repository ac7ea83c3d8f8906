import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { variantOf } from '../format/time.ts';
import { useLanguage } from '../i18n/language.tsx';
import { axisLabels } from './axis-labels.ts';

const HEIGHT = 220;
/** Colours of the lines, as `styles/tokens.css` names them. */
const COLOURS = ['--accent', '--user', '--warn', '--bad'] as const;
const FILL = ['--accent-back'] as const;

export interface PlotLine {
  readonly name: string;
  /** Null: nothing was measured. */
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  /** Text for screen readers; the data is in the table beside it. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  /** The form of a value in a language. */
  readonly format: (value: number, language: string) => string;
}

/** Lines over time, in UTC, in the colours of the theme. */
export function Plot(props: PlotProps) {
  // Colours are read once, so a theme change remounts the plot.
  return <DrawnPlot key={useThemeChangeCount()} {...props} />;
}

function DrawnPlot({ format, label, lines, times }: PlotProps) {
  const { language } = useLanguage();
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = container;
    if (current === null) return;
    const plot = new UPlot(
      optionsOf(current, lines, (value) => format(value, language), language),
      [[...times], ...lines.map(({ values }) => [...values])],
      current,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }));
    watcher.observe(current);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, lines, format, language]);
  return <div ref={container} className="plot" role="img" aria-label={label} />;
}

function optionsOf(
  container: HTMLElement,
  lines: readonly PlotLine[],
  shown: (value: number) => string,
  language: string,
): UPlot.Options {
  const ink = colour(container, '--quiet');
  const axis = { stroke: ink, grid: { stroke: colour(container, '--line'), width: 1 }, ticks: { show: false } };
  const locale = variantOf(language);
  const time = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return {
    width: container.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, values: (_plot, marks) => [...axisLabels(marks, locale)] },
      { ...axis, size: 56, values: (_plot, marks) => marks.map((mark) => mark.toLocaleString(language)) },
    ],
    series: [
      { label: 'UTC', value: (_plot, seconds) => (seconds === null ? '' : time.format(seconds * 1_000)) },
      ...lines.map(({ name }, at) => ({
        label: name,
        stroke: colour(container, COLOURS[at] ?? '--ink'),
        width: 2,
        spanGaps: false,
        ...(at === 0 && lines.length < 3 && { fill: colour(container, FILL[0]) }),
        // No point is chosen until the pointer is on the plot.
        value: (_plot: UPlot, value: number | null, _line: number, at: number | null) =>
          at === null ? '' : value === null ? '–' : shown(value),
      })),
    ],
  };
}

/** A colour as the browser computes it for the theme. A canvas cannot resolve CSS variables. */
function colour(container: HTMLElement, variable: string): string {
  const probe = container.appendChild(document.createElement('span'));
  probe.style.color = `var(${variable})`;
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}

/** Counts the changes of the theme, by the user or by the system. */
function useThemeChangeCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    system.addEventListener('change', changed);
    return () => {
      chosen.disconnect();
      system.removeEventListener('change', changed);
    };
  }, []);
  return count;
}

import { shortTime } from '../../format/time.ts';
import type { SilenceCause } from '../../generated/client.ts';

/** Fields of the evidence that are shown for a cause, the most important first. The English text has the others. */
const NAMES = ['name', 'error', 'next'] as const;

/** The evidence of a cause in values, which need no translation: the tool or the error, how long, how much was lost. */
export function evidenceText({ evidence }: Pick<SilenceCause, 'evidence'>): string {
  const names = NAMES.flatMap((name) => textOf(evidence[name]));
  const times = Object.entries(evidence)
    .filter(([name]) => name.endsWith('_ms'))
    .flatMap(([, ms]) => (typeof ms === 'number' ? [ms] : []));
  const longest = times.length === 0 ? [] : [shortTime(Math.max(...times))];
  const lost = typeof evidence.lost_share === 'number' ? [`${Math.round(100 * evidence.lost_share)} %`] : [];
  return [...names, ...longest, ...lost].join(' · ');
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
